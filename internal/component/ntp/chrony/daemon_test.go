package chrony

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/sys"
	"gateway/lab"
)

// realChronyd runs Debian 13's chronyd, with the libraries that belong to it. It needs no root.
func realChronyd(t testing.TB) sys.Runner {
	t.Helper()
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 to take chronyd from: %v", err)
	}
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		if c.Path != program {
			return sys.Result{}, errors.New("only chronyd is run here")
		}
		libraries := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
		c.Args = append([]string{"--library-path", libraries, filepath.Join(root, c.Path)}, c.Args...)
		c.Path = filepath.Join(root, "lib64/ld-linux-x86-64.so.2")
		return sys.Run(ctx, c)
	}
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimSuffix(line, "\n"))
	}
	return out
}

func pointer[T any](v T) *T { return &v }

var errFake = fmt.Errorf("made up for a test")
