// Package squidtest has a real Squid of Debian 13 in a network of its own, run as our units run it,
// for the tests of package forwardproxy and of the packages below it. It is imported by tests only.
package squidtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec" //nolint:depguard // only tests import this package: it builds the program that Squid starts
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/daemon"
	"gateway/internal/namelist"
	"gateway/internal/sys"
	"gateway/lab"
)

// programs are the scripts of the package.
const programs = "packaging/daemons/forwardproxy/root/usr/lib/gateway/"

// Server is a machine with Squid on it.
type Server struct {
	*lab.Client
	// Restarts and Reloads count what the units did.
	Restarts, Reloads int
	Installed         daemon.Rendering

	t testing.TB
}

// New makes one, on which nothing runs yet.
func New(t testing.TB, l *lab.Lab) *Server {
	t.Helper()
	s := &Server{Client: l.Client("proxy", lab.On("lan")), t: t}
	s.MustRun(t, "sh", "-c", `mkdir -p /etc/squid/gateway/errors /etc/squid/gateway/lists /usr/lib/gateway && install -d -o proxy -g proxy -m 750 /run/squid /var/log/squid`)
	for _, name := range []string{"squid-reload", "squid-rotate"} {
		script, err := os.ReadFile(filepath.Join(top(t), programs, name))
		if err != nil {
			t.Fatal(err)
		}
		s.write("/usr/lib/gateway/"+name, script, "755")
	}
	s.write(namelist.Program, listsProgram(t), "755")
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := s.Run(context.Background(), "sh", "-c", "grep -v 'loading file' /var/log/squid/stderr | tail -n 40")
			t.Logf("Squid said:\n%s", log)
		}
	})
	return s
}

// listsProgram is what Squid asks about lists of names.
func listsProgram(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gateway-squid-lists")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "gateway/cmd/gateway-squid-lists")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// top is the root of the repository.
func top(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatalf("the repository is not above the test: %v", err)
	return ""
}

func (s *Server) write(path string, data []byte, mode string) {
	s.t.Helper()
	script := `cat >"$1.new" && chmod "$2" "$1.new" && mv "$1.new" "$1"`
	if out, err := s.RunInput(s.t.Context(), bytes.NewReader(data), "sh", "-c", script, "sh", path, mode); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// Use installs a state, and applies the difference to what there was, as gateway-apply does.
func (s *Server) Use(state squid.State) {
	s.t.Helper()
	now, err := state.Render()
	if err != nil || len(now.Problems) > 0 {
		s.t.Fatalf("not rendered: %v, %+v", err, now.Problems)
	}
	for _, f := range now.Files {
		if !s.Installed.Same(f) {
			s.write(f.Path, append(slices.Clone(f.Data), "# gw-sha256 0\n"...), strconv.FormatUint(uint64(f.Mode), 8))
		}
	}
	for _, f := range s.Installed.Files {
		if !now.Has(f.Path) {
			s.MustRun(s.t, "rm", f.Path)
		}
	}
	old := s.Installed
	s.Installed = now
	if err := squid.New(squid.Options{Units: s}).Apply(s.t.Context(), old, now); err != nil {
		s.t.Fatal(err)
	}
}

// Start is systemd's, for our units.
func (s *Server) Start(ctx context.Context, unit string) error {
	if unit != "gateway-squid-reload.service" {
		if conn, err := s.DialInternal(ctx); err == nil { // it runs
			return conn.Close()
		}
		return s.Restart(ctx, unit)
	}
	s.Reloads++
	if out, err := s.asDaemon(ctx, "/usr/lib/gateway/squid-reload"); err != nil {
		s.t.Log(out, err)
		return &sys.JobError{Verb: "start", Unit: unit, Result: "failed"}
	}
	return nil
}

// startTime is for Squid to answer after its start.
const startTime = 20 * time.Second

// Restart is systemd's, for the daemon's.
func (s *Server) Restart(ctx context.Context, unit string) error {
	if unit != squid.Unit {
		return fmt.Errorf("restart %s", unit)
	}
	s.Restarts++
	if err := s.Stop(ctx); err != nil {
		return err
	}
	// Without -s: there is no log daemon here.
	out, err := s.asDaemon(ctx, "sh", "-c", "LC_ALL=C squid --foreground -d1 -YC -f "+squid.ConfFile+" >/dev/null 2>>/var/log/squid/stderr & echo")
	if err != nil {
		s.t.Log(out)
		return &sys.JobError{Verb: "restart", Unit: unit, Result: "failed"}
	}
	for end := time.Now().Add(startTime); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if conn, err := s.DialInternal(ctx); err == nil {
			return conn.Close()
		}
	}
	return &sys.JobError{Verb: "restart", Unit: unit, Result: "timeout"}
}

// DialInternal reaches the port where this machine asks.
func (s *Server) DialInternal(ctx context.Context) (net.Conn, error) {
	return s.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", squid.InternalPort))
}

// Stop ends the daemon, and returns when it has ended.
func (s *Server) Stop(ctx context.Context) error {
	_, err := s.Run(ctx, "sh", "-c", `for p in /proc/[0-9]*; do case $(readlink $p/exe) in
		/usr/sbin/squid*) kill -9 ${p#/proc/} || true; while grep -q . $p/cmdline 2>/dev/null; do :; done ;; esac; done; rm -f /run/squid/*`)
	return err
}

func (s *Server) asDaemon(ctx context.Context, command ...string) (string, error) {
	as := []string{"setpriv", "--reuid", "proxy", "--regid", "proxy", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"}
	out, err := s.Run(ctx, append(as, command...)...)
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, out)
	}
	return out, nil
}

// Ask sends one request over a connection to the proxy, and returns the answer without its body.
func Ask(conn net.Conn, r squid.Request) (*http.Response, error) {
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	text := r.Method + " " + r.URL + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		text += "Content-Length: 0\r\n"
	}
	if r.UserAgent != "" {
		text += "User-Agent: " + r.UserAgent + "\r\n"
	}
	if _, err := conn.Write([]byte(text + "\r\n")); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.Method})
	if err != nil {
		return nil, err
	}
	return answer, nil
}
