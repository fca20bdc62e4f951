// Command gateway-ctl administers this node from its own command line.
package main

import (
	"context"
	"os/signal"
	"syscall"

	"gateway/internal/ctl"
	"gateway/internal/process"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	process.Main(ctl.Execute(ctx, ctl.New()))
}
