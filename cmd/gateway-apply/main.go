// Command gateway-apply is the one privileged process: typed verbs on a unix socket.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"gateway/internal/app"
)

func main() {
	socket := flag.String("socket", app.Defaults().ApplySocket, "unix socket to answer on, unless systemd passes one")
	user := flag.String("user", "gateway", "user that may ask, besides root")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	app.Main(app.RunApply(ctx, *socket, *user))
}
