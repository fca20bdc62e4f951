package ctl

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
)

// verifying is a node on which backups are verified.
type verifying struct {
	names   []string
	stopped []string
	stays   string // what cannot be stopped
}

func (v *verifying) Running(_ context.Context, template string) ([]string, error) {
	if template != "gateway-verify@" {
		return nil, errors.New("not asked for " + template)
	}
	return v.names, nil
}

func (v *verifying) Stop(_ context.Context, unit string) error {
	if unit == v.stays {
		return errors.New("it stays")
	}
	v.stopped = append(v.stopped, unit)
	return nil
}

// A restore is more urgent than a verification, whose row tells that nobody verifies any more.
func TestARestoreEndsVerifications(t *testing.T) {
	const one, other = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	units := &verifying{
		names: []string{"gateway-verify@" + one + ".service", "gateway-verify@x.service", "gateway-verify@" + other + ".service"},
		stays: "gateway-verify@" + other + ".service",
	}
	var noted []string
	note := func(_ context.Context, id string) error {
		noted = append(noted, id)
		return errors.New("the database is away")
	}
	endVerifications(t.Context(), units, note, slog.New(slog.DiscardHandler))
	if !slices.Equal(units.stopped, []string{"gateway-verify@" + one + ".service"}) || !slices.Equal(noted, []string{one}) {
		t.Errorf("stopped %v, noted %v", units.stopped, noted)
	}
}
