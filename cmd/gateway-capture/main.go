// Command gateway-capture records packets for whoever connects to its socket: systemd starts it with
// the connection as its standard input. It is a file of its own because it may open packet
// sockets, which nothing else of the product may, and so has as little in it as possible.
package main

import (
	"fmt"
	"os"

	"gateway/internal/capture"
)

func main() {
	if err := capture.Serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "gateway-capture:", err)
		os.Exit(1)
	}
}
