// Command gateway-apply is the one privileged process: it installs what the database
// wants, and answers typed verbs on a unix socket.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"gateway/internal/app"
)

func main() {
	cfg := app.ApplyDefaults()
	cfg.Flags(flag.CommandLine)
	filter := flag.Bool("packet-filter", false, "only put the packet filter's last good rules into the kernel")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if *filter {
		app.Main(app.LoadPacketFilter(ctx, cfg))
		return
	}
	app.Main(app.RunApply(ctx, cfg))
}
