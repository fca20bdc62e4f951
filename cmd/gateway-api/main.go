// Command gateway-api serves the HTTP API and the UI.
package main

import "gateway/internal/program"

func main() { program.API() }
