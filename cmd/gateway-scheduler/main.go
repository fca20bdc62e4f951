// Command gateway-scheduler runs the periodic jobs.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"gateway/internal/app"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/process"
)

func main() {
	cfg := app.Defaults()
	cfg.Flags(flag.CommandLine)
	flag.Parse()
	cfg.DNSProviders = clients.Open
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	process.Main(app.RunScheduler(ctx, cfg))
}
