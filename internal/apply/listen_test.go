package apply

import (
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestListenMakesASocketForOwnerAndGroup(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("mode = %v, %v, want a socket with 0660", info.Mode(), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after closing: %v, want the socket gone", err)
	}
}

func TestListenReplacesTheSocketOfADeadProcess(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

func TestListenRemovesNothingButASocket(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil {
		t.Error("no error")
	}
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("the file now holds %q", got)
	}
}

func TestListenReportsAFolderThatIsMissing(t *testing.T) {
	if _, err := Listen(filepath.Join(shortDir(t), "no", "s")); err == nil {
		t.Error("no error")
	}
}

func TestSocketActivation(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	startActivated(t, fileOf(t, l))
	got, err := Client{Socket: path}.PacketFilterLoaded(t.Context())
	if err != nil || !got {
		t.Errorf("loaded = %t, %v, want the answer of the child", got, err)
	}
}

func TestSocketActivationTakesOnlyAUnixSocket(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	state, err := startActivated(t, fileOf(t, l.(*net.TCPListener))).Wait()
	if err != nil || state.ExitCode() != exitRefused {
		t.Errorf("child = %v, %v, want exit status %d", state, err, exitRefused)
	}
}

func TestUIDs(t *testing.T) {
	got, err := UIDs("root")
	if err != nil || len(got) != 1 || got[0] != 0 {
		t.Errorf("UIDs(root) = %v, %v, want 0", got, err)
	}
	if _, err := UIDs("root", "no-such-user"); err == nil || !strings.Contains(err.Error(), "no-such-user") {
		t.Errorf("err = %v, want it to name the user", err)
	}
}

type filer interface{ File() (*os.File, error) }

func fileOf(t *testing.T, l filer) *os.File {
	t.Helper()
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

const (
	childEnv    = "GATEWAY_APPLY_TEST_CHILD"
	exitRefused = 17
)

// startActivated runs this test binary again as the applier, with f as file 3 the way
// systemd passes it.
func startActivated(t *testing.T, f *os.File) *os.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(self, []string{self, "-test.run=^TestActivatedChild$"}, &os.ProcAttr{
		Env:   append(os.Environ(), childEnv+"=1", "LISTEN_FDS=1"),
		Files: []*os.File{nil, os.Stdout, os.Stderr, f},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Kill()
		_, _ = p.Wait()
	})
	return p
}

// TestActivatedChild is the applier of the tests above, in a process of its own.
func TestActivatedChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("only as a child")
	}
	// systemd knows the pid before it starts the program; we only now.
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	l, err := Listen("/nowhere/else")
	if err != nil {
		os.Exit(exitRefused)
	}
	s := NewServer(&fakeHost{}, &fakeHost{loaded: true}, declared(), nil, []uint32{uint32(os.Getuid())}, slog.Default())
	if err := s.Serve(t.Context(), l); err != nil {
		t.Fatal(err)
	}
}
