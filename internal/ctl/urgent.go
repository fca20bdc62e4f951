package ctl

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/applier"
	"gateway/internal/restore"
)

// verifyUnit is the template of the units that verify backups.
const verifyUnit = "gateway-verify@"

// running are the units of this node.
type running interface {
	Running(ctx context.Context, template string) ([]string, error)
	Stop(ctx context.Context, unit string) error
}

// urgent ends what is being verified, and keeps others from it. A restore has that while it loads: the room that it counts is not
// taken by a verification, and a node that is down does not wait for one.
func urgent(ctx context.Context, h *restore.Helpers, units running, log *slog.Logger) (release func(), err error) {
	endVerifications(ctx, units, unverified, log)
	if release, err = noVerification(ctx); err != nil {
		return nil, err
	}
	v := restore.Verification{Databases: restore.RemoteDatabases{Helpers: h}, Files: restore.RemoteFiles{Helpers: h}}
	if err := v.Clean(ctx); err != nil { // it takes room, and the restore asks whether there is enough
		log.Error("remove what the verification left", "err", err)
	}
	return release, nil
}

// endVerifications ends those that run, and notes it. What cannot be ended is waited for.
func endVerifications(ctx context.Context, units running, note func(ctx context.Context, id string) error, log *slog.Logger) {
	names, err := units.Running(ctx, verifyUnit)
	if err != nil {
		log.Error("look for verifications", "err", err)
	}
	for _, name := range names {
		id := strings.TrimSuffix(strings.TrimPrefix(name, verifyUnit), ".service")
		if !backupID.MatchString(id) {
			continue
		}
		if err := units.Stop(ctx, name); err != nil {
			log.Error("end a verification", "id", id, "err", err)
			continue
		}
		log.Info("the verification was ended for the restore", "id", id)
		if err := note(ctx, id); err != nil { // the scheduler finds it after an hour
			log.Error("note the end of a verification", "id", id, "err", err)
		}
	}
}

// noteWithin is how long the database may take: a node that is to be restored may have none.
const noteWithin = 10 * time.Second

// unverified has the row of a backup tell that nobody verifies it.
func unverified(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	conn, err := pgx.Connect(ctx, applier.Defaults().Database)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return restore.Unverified(ctx, conn, id)
}
