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
	flag.StringVar(&cfg.Socket, "socket", cfg.Socket, "unix socket to answer on, unless systemd passes one")
	flag.StringVar(&cfg.User, "user", cfg.User, "user that may ask, besides root")
	flag.StringVar(&cfg.Database, "database", cfg.Database, "address of the database")
	flag.StringVar(&cfg.StateDir, "state-dir", cfg.StateDir, "folder of the last good files")
	flag.StringVar(&cfg.RunDir, "run-dir", cfg.RunDir, "folder that no boot survives")
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
