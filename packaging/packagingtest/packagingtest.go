// Package packagingtest is what the Debian package brings, for tests that do without installing it.
package packagingtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the top of the repository, above the folder that a test runs in.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("there is no go.mod above this test")
	return ""
}

// Assemble puts together what the daemons bring, and returns the folder: postinst and postrm
// with the lines of all daemons, and their files below root/.
func Assemble(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	cmd := exec.CommandContext(t.Context(), "packaging/assemble", dir)
	cmd.Dir = root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Unit is the text of one of our units with the daemons' drop-ins behind it.
func Unit(t testing.TB, name string) string {
	t.Helper()
	files := []string{filepath.Join(root(t), "packaging/units", name)}
	drops, err := filepath.Glob(filepath.Join(root(t), "packaging/daemons/*/root/usr/lib/systemd/system", name+".d", "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, file := range append(files, drops...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(b, '\n'))
	}
	return text.String()
}
