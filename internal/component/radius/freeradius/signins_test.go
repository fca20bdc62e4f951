package freeradius

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func logLine(user string) string {
	return fmt.Sprintf(`{"at":1700000000,"result":"Access-Accept","why":"","user":"%s","client":"ap-1","from":"192.0.2.10","station":"","nas":""}`+"\n", hex.EncodeToString([]byte(user)))
}

func TestALogThatWasPutAsideIsToldOnce(t *testing.T) {
	l := newSignInLog(t.TempDir())
	path := filepath.Join(l.folder, logFile)
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, want ...string) {
		t.Helper()
		got, err := l.read()
		var users []string
		for _, one := range got.Recent {
			users = append(users, one.User)
		}
		if err != nil || fmt.Sprint(users) != fmt.Sprint(want) {
			t.Errorf("%s: %q, %v; want %q", what, users, err, want)
		}
	}
	expect("no log")
	write(path+".1", logLine("ann"))
	expect("one that was put aside", "ann")
	expect("the same", "ann")
	write(path, logLine("bob"))
	expect("and a new one", "bob", "ann")
	expect("and again", "bob", "ann")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	expect("put aside too", "bob", "ann")
	write(path, logLine("a\u202eb\n"))
	expect("what shows nothing", "a\uFFFDb\uFFFD", "bob", "ann")
}

// A line that is not whole is none.
func TestAnAcceptedLine(t *testing.T) {
	got, ok := acceptedLine("1700000000 ann 192.0.2.10 0961 c3bc ap 1")
	if !ok || got.User != "ann" || got.Result != Accepted || got.Client != "ap 1" || got.From != "192.0.2.10" || got.Station != "\uFFFDa" || got.NAS != "ü" {
		t.Errorf("%v %+q", ok, got)
	}
	for _, line := range []string{"", "{", "1700000000 ann 192.0.2.10  ", "x ann 192.0.2.10   ap-1"} {
		if got, ok := acceptedLine(line); ok {
			t.Errorf("%q is taken for %+v", line, got)
		}
	}
}

// The folder is the daemon's, and this process is root.
func TestTheLogIsOnlyReadWhereItIsAFile(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		l := newSignInLog(t.TempDir())
		if err := put(filepath.Join(l.folder, logFile)); err != nil {
			t.Fatal(err)
		}
		if got, err := l.read(); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
	l := newSignInLog(t.TempDir())
	path := filepath.Join(l.folder, logFile)
	f, err := os.Create(path)
	if err == nil {
		err = f.Truncate(1 << 40)
	}
	if err == nil {
		_, err = f.WriteAt([]byte("\n"+logLine("ann")), 1<<40)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, err := l.read(); err != nil || len(got.Recent) != 1 {
		t.Errorf("the end of a terabyte: %+v, %v", got, err)
	}
}
