package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gateway/internal/component/daemons"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

// Judge has every renderer run on a database that nobody uses yet, and the daemons check what they
// made. It returns the objects that cannot be used, in words; an error is a component that cannot be rendered
// at all, or whose daemon rejects the files. Secrets are opened with the master key in that file.
func Judge(ctx context.Context, database, masterKey string) (unusable []string, err error) {
	pool, err := db.OpenPatient(database)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	box, err := secret.OpenBox(masterKey)
	if err != nil {
		return nil, err
	}
	units := sys.NewUnits()
	defer units.Close()
	managed := daemons.New(daemons.Deps{Units: units, Exec: sys.Run, Host: sys.NewHost(time.Now), Log: slog.New(slog.DiscardHandler)})
	set := daemon.Set{Configs: daemon.Configs(managed.All), Unseal: box.Unseal}
	var failed []error
	for _, c := range set.Configs {
		problems, err := set.Judge(ctx, pool, c.Name)
		failed = append(failed, err)
		for _, p := range problems {
			if !p.Tolerated {
				unusable = append(unusable, p.Subject+": "+p.Sentence.Message)
			}
		}
	}
	return unusable, errors.Join(failed...)
}
