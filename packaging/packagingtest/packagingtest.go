// Package packagingtest is what the Debian package brings, for tests that do without installing it.
package packagingtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// root is the top of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Assemble puts together what the daemons bring, and returns the folder: postinst and postrm
// with the lines of all daemons, and their files below root/.
func Assemble(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "package")
	cmd := exec.CommandContext(t.Context(), "packaging/assemble", dir)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Unit is the text of one of our units with the daemons' drop-ins behind it.
func Unit(t testing.TB, name string) string {
	t.Helper()
	files := []string{filepath.Join(root(), "packaging/units", name)}
	drops, err := filepath.Glob(filepath.Join(root(), "packaging/daemons/*/root/usr/lib/systemd/system", name+".d", "*.conf"))
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
