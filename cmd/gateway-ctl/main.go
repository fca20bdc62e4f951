// Command gateway-ctl administers this node from its own command line.
package main

import (
	"context"
	"os/signal"
	"syscall"

	"gateway/internal/app"
	"gateway/internal/ctl"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	app.Main(ctl.New().ExecuteContext(ctx))
}
