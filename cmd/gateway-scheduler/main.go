// Command gateway-scheduler runs the periodic jobs.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"gateway/internal/app"
)

func main() {
	cfg := app.Defaults()
	cfg.Flags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	app.Main(app.RunScheduler(ctx, cfg))
}
