package app

import (
	"context"
	"log/slog"
	"os"

	"github.com/coreos/go-systemd/v22/daemon"

	"gateway/internal/apply"
	"gateway/internal/sys"
)

// RunApply is gateway-apply, answering the given user and root on the socket until ctx ends.
func RunApply(ctx context.Context, socket, user string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	uids, err := apply.UIDs("root", user)
	if err != nil {
		return err
	}
	l, err := apply.Listen(socket)
	if err != nil {
		return err
	}
	units := sys.NewUnits()
	defer units.Close()
	if _, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil {
		log.Warn("tell systemd", "err", err)
	}
	return apply.NewServer(units, sys.NewNft(sys.Run), uids, log).Serve(ctx, l)
}
