package componenttest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/daemon"
)

var update = flag.Bool("update", false, "rewrite the golden files below testdata")

// Golden holds a text against a file, which "go test -update" rewrites. No file is no text.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := rewrite(file, got); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", file, d)
	}
}

func rewrite(file, text string) error {
	if text == "" {
		return os.RemoveAll(file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// ProblemsText is what was left out of a rendering, a line each.
func ProblemsText(r daemon.Rendering) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Subject, p.Message)
	}
	return b.String()
}
