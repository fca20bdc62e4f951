package sys_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gateway/internal/sys"
)

func TestLines(t *testing.T) {
	var got []string
	collect := func(line []byte) error { got = append(got, strings.TrimSuffix(string(line), "\n")); return nil }
	c := sys.Command{Path: "/bin/sh", Args: []string{"-c", `echo one; head -c 2000000 /dev/zero | tr '\0' x; echo; printf two`}}
	if err := sys.Lines(t.Context(), c, collect); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != "one" || got[1] != "two" {
		t.Errorf("%d lines, want one and two without the one that is too long", len(got))
	}
	err := sys.Lines(t.Context(), sys.Command{Path: "/bin/sh", Args: []string{"-c", "echo no >&2; exit 3"}}, collect)
	var exit *sys.ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || exit.Stderr != "no" {
		t.Errorf("err = %v, want status 3", err)
	}
}

// A program that never ends is ended with its reader.
func TestLinesEndWithTheirReader(t *testing.T) {
	endless := sys.Command{Path: "/bin/sh", Args: []string{"-c", "while echo line; do sleep 0.01; done"}}
	enough := errors.New("enough")
	begun := time.Now()
	if err := sys.Lines(t.Context(), endless, func([]byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("err = %v, want the reader's", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := sys.Lines(ctx, endless, func([]byte) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want the deadline", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
}
