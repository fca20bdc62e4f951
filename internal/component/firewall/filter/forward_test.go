package filter

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestForwardingWaitsForTheRulesAndIsTriedUntilItIsOn(t *testing.T) {
	calls := 0
	answer := errors.New("no bus yet")
	f := newFilter(Options{Log: slog.New(slog.DiscardHandler), Forward: func(context.Context) error { calls++; return answer }})
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"no rules were loaded", func() {}, 0},
		{"rules were loaded, and systemd does not answer", func() { f.forward.due.Store(true) }, 1},
		{"it is tried again", func() { answer = nil }, 2},
		{"and not once it is on", func() {}, 2},
	} {
		step.do()
		f.letForward(t.Context())
		if calls != step.want {
			t.Errorf("%s: asked %d times, want %d", step.name, calls, step.want)
		}
	}
	newFilter(Options{}).letForward(t.Context()) // who loads rules at boot leaves it to the unit
}

// What closes the node before anything of ours runs is a file of the package.
func TestThePackageClosesTheNodeAsThisWould(t *testing.T) {
	data, err := os.ReadFile("../../../../packaging/shut.nft")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "#") {
			got = append(got, line)
		}
	}
	// Without counters, log, sets and NAT: each needs a module more, and nothing is forwarded.
	for line := range strings.Lines(string(Shut().File(RulesPath))) {
		switch {
		case strings.HasPrefix(line, "add table"),
			strings.HasPrefix(line, "add chain") && strings.Contains(line, "policy drop"),
			strings.HasPrefix(line, "add rule inet gateway input ") && !strings.Contains(line, "@") && !strings.Contains(line, "gateway:") && !strings.Contains(line, "counter"):
			want = append(want, line)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("packaging/shut.nft says\n%s\nwant\n%s", strings.Join(got, ""), strings.Join(want, ""))
	}
}
