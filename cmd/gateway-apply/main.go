// Command gateway-apply is the one privileged process: it installs what the database
// wants, and answers typed verbs on a unix socket.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"gateway/internal/applier"
	"gateway/internal/process"
)

func main() {
	cfg := applier.Defaults()
	cfg.Flags(flag.CommandLine)
	filter := flag.Bool("packet-filter", false, "only load the packet filter's last good rules into the kernel")
	network := flag.Bool("network", false, "only bring the last good interfaces, addresses, routes and tunnels into the kernel")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if *filter {
		process.Main(applier.LoadPacketFilter(ctx, cfg))
		return
	}
	if *network {
		process.Main(applier.LoadNetwork(ctx, cfg))
		return
	}
	process.Main(applier.Run(ctx, cfg))
}
