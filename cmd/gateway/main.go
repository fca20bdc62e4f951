// Command gateway is gateway-api, gateway-scheduler or gateway-ctl, by the name that it is
// called by.
package main

import (
	"os"

	"gateway/internal/process"
	"gateway/internal/program"
)

func main() {
	run, err := program.Find(os.Args[0])
	process.Main(err)
	run()
}
