package apply

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gateway/internal/fault"
)

// A daemon that is switched off is asked every ten seconds, by whoever samples: that it does not answer is in the log once.
func TestWhatLastsIsLoggedOnce(t *testing.T) {
	off := fault.New(fault.Unavailable, "the DNS resolver is not running")
	silent := fault.New(fault.Unavailable, "the DNS resolver does not answer")
	for _, tc := range []struct {
		name string
		errs []error // of the same request
		want int     // errors in the log
	}{
		{"the same reason", []error{off, off, off, fmt.Errorf("ask: %w", off)}, 1},
		{"another reason", []error{off, silent, silent, off}, 3},
		{"again after it worked", []error{off, nil, off}, 2},
		{"what nobody has words for, each time", []error{errors.New("broken pipe"), errors.New("broken pipe")}, 2},
		{"what was asked wrongly, each time", []error{fault.New(fault.Invalid, "no"), fault.New(fault.Invalid, "no")}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			var n notes
			for _, err := range tc.errs {
				n.note(slog.New(slog.NewTextHandler(&log, nil)), `{"verb":"dns"}`, nil, err)
			}
			if got := strings.Count(log.String(), "level=ERROR"); got != tc.want {
				t.Errorf("%d errors, want %d:\n%s", got, tc.want, log.String())
			}
		})
	}
}

func TestNotesDoNotGrow(t *testing.T) {
	var n notes
	for i := range 10 * mostNotes {
		n.note(slog.New(slog.DiscardHandler), fmt.Sprint(i), nil, fault.New(fault.Unavailable, "off"))
	}
	if len(n.said) > mostNotes {
		t.Errorf("%d are remembered", len(n.said))
	}
}
