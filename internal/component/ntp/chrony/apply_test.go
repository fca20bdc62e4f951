package chrony

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// systemd remembers what it was asked for.
type systemd struct {
	asked []string
	err   error
}

func (s *systemd) do(verb, unit string) error {
	s.asked = append(s.asked, verb+" "+unit)
	return s.err
}

func (s *systemd) Start(_ context.Context, unit string) error   { return s.do("start", unit) }
func (s *systemd) Restart(_ context.Context, unit string) error { return s.do("restart", unit) }

func rendering(text string) daemon.Rendering {
	return daemon.Rendering{Files: []daemon.File{{Path: ConfFile, Mode: 0o644, Data: []byte(text)}}}
}

func TestApply(t *testing.T) {
	for _, tc := range []struct {
		name     string
		old, now daemon.Rendering
		want     string
	}{
		{"nobody knows what it runs on", daemon.Rendering{}, rendering("a"), "restart chrony.service"},
		{"something changed", rendering("a"), rendering("b"), "restart chrony.service"},
		{"nothing changed, so it only has to run", rendering("a"), rendering("a"), "start chrony.service"},
	} {
		s := &systemd{}
		if err := New(Options{Units: s}).Apply(t.Context(), tc.old, tc.now); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if !slices.Equal(s.asked, []string{tc.want}) {
			t.Errorf("%s: %q, want %q", tc.name, s.asked, tc.want)
		}
	}
}

func TestADaemonThatDoesNotStart(t *testing.T) {
	err := New(Options{Units: &systemd{err: &sys.JobError{Result: "failed"}}}).Apply(t.Context(), daemon.Rendering{}, rendering("a"))
	if f, ok := fault.Of(err); !ok || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "the log of chrony.service") {
		t.Errorf("apply = %v", err)
	}
	err = New(Options{Units: &systemd{err: errFake}}).Apply(t.Context(), daemon.Rendering{}, rendering("a"))
	if _, ok := fault.Of(err); ok || !errors.Is(err, errFake) {
		t.Errorf("apply = %v, want our own error as it is", err)
	}
}
