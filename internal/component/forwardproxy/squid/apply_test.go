package squid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

func rendered(t *testing.T, change func(*squid.State)) daemon.Rendering {
	t.Helper()
	s := base()
	change(&s)
	r, err := s.Render()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestApply(t *testing.T) {
	on := rendered(t, func(*squid.State) {})
	off := rendered(t, func(s *squid.State) { s.Settings.Enabled = pointer(false) })
	other := rendered(t, func(s *squid.State) { s.Settings.Contact = "somebody else" })
	more := rendered(t, func(s *squid.State) { s.Lists[0] = squid.NewList("ads", "another.example") })
	const reload = "start gateway-squid-reload.service"
	for _, tc := range []struct {
		what     string
		old, now daemon.Rendering
		fails    string
		want     []string
		fault    bool
	}{
		{"off", on, off, "", nil, false},
		{"nobody knows what runs", daemon.Rendering{}, on, "", []string{"restart squid.service"}, false},
		{"off before", off, on, "", []string{"restart squid.service"}, false},
		{"the same", on, on, "", []string{"start squid.service"}, false},
		{"names of a list", on, more, "", []string{"start squid.service"}, false},
		{"another page", on, other, "", []string{reload}, false},
		{"a reload that fails", on, other, reload, []string{reload, "restart squid.service"}, false},
		{"a start that fails", off, on, "restart squid.service", []string{"restart squid.service"}, true},
	} {
		t.Run(tc.what, func(t *testing.T) {
			u := &componenttest.Units{Act: func(_ context.Context, verb, unit string) error {
				if verb+" "+unit == tc.fails {
					return &sys.JobError{Verb: verb, Unit: unit, Result: "failed"}
				}
				return nil
			}}
			err := squid.New(squid.Options{Units: u}).Apply(t.Context(), tc.old, tc.now)
			if f, ok := fault.Of(err); ok != tc.fault || tc.fault && f.Code != squid.Unavailable || !tc.fault && err != nil {
				t.Errorf("apply = %v", err)
			}
			if got := u.Asked(); !slices.Equal(got, tc.want) {
				t.Errorf("asked %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWhatTheCheckerSays(t *testing.T) {
	for said, want := range map[error]fault.Kind{
		&sys.ExitError{Path: "squid", Code: 1, Stderr: "secret text"}: fault.Invalid,
		fmt.Errorf("run: %w", os.ErrNotExist):                         fault.Unavailable,
	} {
		d := squid.New(squid.Options{Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, said }})
		err := componenttest.Check(t, d.Config, rendered(t, func(*squid.State) {}))
		if f, ok := fault.Of(err); !ok || f.Kind != want || strings.Contains(f.Message, "secret") {
			t.Errorf("%v: %v", said, err)
		}
	}
	other := errors.New("made up for a test")
	d := squid.New(squid.Options{Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, other }})
	if err := componenttest.Check(t, d.Config, rendered(t, func(*squid.State) {})); !errors.Is(err, other) {
		t.Errorf("another error: %v", err)
	}
}
