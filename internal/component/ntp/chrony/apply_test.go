package chrony

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// failing is a systemd whose jobs fail.
func failing(err error) *componenttest.Units {
	return &componenttest.Units{Act: func(context.Context, string, string) error { return err }}
}

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
		s := &componenttest.Units{}
		if err := New(Options{Units: s}).Apply(t.Context(), tc.old, tc.now); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if asked := s.Asked(); !slices.Equal(asked, []string{tc.want}) {
			t.Errorf("%s: %q, want %q", tc.name, asked, tc.want)
		}
	}
}

func TestADaemonThatDoesNotStart(t *testing.T) {
	err := New(Options{Units: failing(&sys.JobError{Result: "failed"})}).Apply(t.Context(), daemon.Rendering{}, rendering("a"))
	if f, ok := fault.Of(err); !ok || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "the log of chrony.service") {
		t.Errorf("apply = %v", err)
	}
	err = New(Options{Units: failing(errFake)}).Apply(t.Context(), daemon.Rendering{}, rendering("a"))
	if _, ok := fault.Of(err); ok || !errors.Is(err, errFake) {
		t.Errorf("apply = %v, want our own error as it is", err)
	}
}
