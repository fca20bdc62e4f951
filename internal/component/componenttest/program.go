package componenttest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/sys"
	"gateway/lab"
)

// Check has the daemon judge a rendering.
func Check(t testing.TB, c daemon.Config, r daemon.Rendering) error {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "check") // where a program of Debian's sees it
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := r.Stage(dir); err != nil {
		t.Fatal(err)
	}
	return c.Check(t.Context(), dir)
}

// Exec is sys.Run with a program of Debian 13, which sees the host's files. It is quick.
func Exec(t testing.TB) sys.Runner {
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		argv := Debian(t, c.Path)
		c.Path, c.Args = argv[0], append(argv[1:], c.Args...)
		return sys.Run(ctx, c)
	}
}

// Debian is the command line that runs a program of Debian 13 on whatever the test runs on.
func Debian(t testing.TB, program string) []string {
	t.Helper()
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 for tests: %v", err)
	}
	return []string{
		filepath.Join(root, "lib64/ld-linux-x86-64.so.2"), "--library-path", filepath.Join(root, "usr/lib/x86_64-linux-gnu"),
		filepath.Join(root, program),
	}
}

// ExecInRoot is Exec for what needs Debian's own files too; it sees the host's /tmp.
func ExecInRoot(t testing.TB) sys.Runner {
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		argv := lab.InRoot(t, "", append([]string{c.Path}, c.Args...)...)
		c.Path, c.Args = "/usr/bin/"+argv[0], argv[1:]
		return sys.Run(ctx, c)
	}
}
