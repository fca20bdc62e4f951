// Command gateway-ctl administers this node from its own command line.
package main

import "gateway/internal/program"

func main() { program.Ctl() }
