package journald_test

import (
	"context"
	"slices"
	"testing"

	"gateway/internal/component/logs/journald"
	"gateway/internal/daemon"
	"gateway/internal/logship"
)

// acted is what systemd was told.
type acted []string

func (a *acted) Start(_ context.Context, unit string) error {
	*a = append(*a, "start "+unit)
	return nil
}

func (a *acted) Restart(_ context.Context, unit string) error {
	*a = append(*a, "restart "+unit)
	return nil
}

// When the log shipper died nobody knows what it ran on. Journald did not die, and is left alone: it would soon be restarted
// more often than systemd allows.
func TestAShipperThatDiesRestartsNoJournal(t *testing.T) {
	var told acted
	d := journald.New(journald.Options{Units: &told, AccessLog: "gateway-access"})
	now := daemon.Rendering{
		Files: []daemon.File{{Path: journald.JournalFile, Data: []byte("[Journal]\n")}, {Path: journald.AccessFile, Data: []byte("[Journal]\n")}},
		Units: []daemon.Unit{{Name: journald.Unit, Up: true}, {Name: logship.Unit, Up: true}},
	}
	for range 3 {
		if err := d.Apply(t.Context(), daemon.Rendering{}, now); err != nil {
			t.Fatal(err)
		}
	}
	ship := "restart " + logship.Unit
	want := []string{"restart systemd-journald.service", "restart systemd-journald@gateway-access.service", ship, ship, ship}
	if !slices.Equal(told, want) {
		t.Errorf("systemd was told %q, want %q", told, want)
	}
}
