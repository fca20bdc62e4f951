// Package radiustest has a real FreeRADIUS of Debian 13 in a network of its own, run as our units run
// it, for the tests of package radius and of the packages below it. It is imported by tests only.
package radiustest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/daemon"
	"gateway/internal/sys"
	"gateway/lab"
)

// programs are the scripts of the package.
const programs = "packaging/daemons/radius/root/usr/lib/gateway/"

// Server is a machine with FreeRADIUS on it.
type Server struct {
	*lab.Client
	// Restarts, Reloads and Added count what the units did.
	Restarts, Reloads, Added int
	Installed                daemon.Rendering

	t testing.TB
}

// New makes one, on which nothing runs yet.
func New(t testing.TB, l *lab.Lab, networks ...string) *Server {
	t.Helper()
	if len(networks) == 0 {
		networks = []string{"lan"}
	}
	s := &Server{Client: l.Client("radius", lab.On(networks...)), t: t}
	s.MustRun(t, "sh", "-c", `mkdir -p /etc/gateway/radius/clients /usr/lib/gateway
		install -d -o freerad -g freerad -m 770 /run/freeradius /var/log/gateway-radius`)
	for _, name := range []string{"radius-reload", "radius-clients", "radius-rotate"} {
		script, err := os.ReadFile(filepath.Join(top(t), programs, name))
		if err != nil {
			t.Fatal(err)
		}
		s.write("/usr/lib/gateway/"+name, script, "755", "root")
	}
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := s.Run(context.Background(), "tail", "-n", "60", "/var/log/gateway-radius/radius.log")
			t.Logf("FreeRADIUS said:\n%s", log)
		}
	})
	return s
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

func (s *Server) write(path string, data []byte, mode, group string) {
	s.t.Helper()
	script := `cat >"$1.new" && chmod "$2" "$1.new" && chgrp "$3" "$1.new" && mv "$1.new" "$1"`
	if out, err := s.RunInput(s.t.Context(), bytes.NewReader(data), "sh", "-c", script, "sh", path, mode, group); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// Daemon is ours, for this machine.
func (s *Server) Daemon() daemon.Daemon { return freeradius.New(freeradius.Options{Units: s}) }

// Use installs a state, and applies the difference to what there was, as gateway-apply does.
func (s *Server) Use(state freeradius.State) {
	s.t.Helper()
	now, err := state.Render()
	if err != nil || len(now.Problems) > 0 {
		s.t.Fatalf("not rendered: %v, %+v", err, now.Problems)
	}
	s.UseRendering(now)
}

// UseRendering is Use of what was rendered already.
func (s *Server) UseRendering(now daemon.Rendering) {
	s.t.Helper()
	for _, f := range now.Files {
		if !s.Installed.Same(f) {
			group := f.Group
			if group == "" {
				group = "root"
			}
			s.write(f.Path, append(slices.Clone(f.Data), "# gw-sha256 0\n"...), strconv.FormatUint(uint64(f.Mode), 8), group)
		}
	}
	for _, f := range s.Installed.Files {
		if !now.Has(f.Path) {
			s.MustRun(s.t, "rm", f.Path)
		}
	}
	old := s.Installed
	s.Installed = now
	if err := s.Daemon().Apply(s.t.Context(), old, now); err != nil {
		s.t.Fatal(err)
	}
}

// Start is systemd's, for our units.
func (s *Server) Start(ctx context.Context, unit string) error {
	var err error
	switch unit {
	case "gateway-radius-clients.service":
		s.Added++
		_, err = s.asDaemon(ctx, "/usr/lib/gateway/radius-clients")
	case "gateway-radius-rotate.service":
		_, err = s.asDaemon(ctx, "/usr/lib/gateway/radius-rotate")
	case "gateway-radius-reload.service":
		s.Reloads++
		_, err = s.asDaemon(ctx, "/usr/lib/gateway/radius-reload")
	default:
		return s.Restart(ctx, unit)
	}
	if err != nil {
		s.t.Log(err)
		return &sys.JobError{Verb: "start", Unit: unit, Result: "failed"}
	}
	return nil
}

// Restart is systemd's, for the daemon's.
func (s *Server) Restart(ctx context.Context, unit string) error {
	if unit != freeradius.Unit {
		return fmt.Errorf("restart %s", unit)
	}
	s.Restarts++
	if err := s.Stop(ctx); err != nil {
		return err
	}
	out, err := s.asDaemon(ctx, "freeradius", "-l", "/var/log/gateway-radius/radius.log", "-d", freeradius.Folder, "-n", "radiusd")
	if err != nil {
		s.t.Log(out)
		return &sys.JobError{Verb: "restart", Unit: unit, Result: "failed"}
	}
	return nil
}

// Stop ends the daemon, and returns when it has ended.
func (s *Server) Stop(ctx context.Context) error {
	_, err := s.Run(ctx, "sh", "-c", `for p in $(pidof freeradius); do kill -9 $p; while grep -q . /proc/$p/cmdline 2>/dev/null; do :; done; done; rm -f /run/freeradius/*`)
	return err
}

func (s *Server) asDaemon(ctx context.Context, command ...string) (string, error) {
	as := []string{"setpriv", "--reuid", "freerad", "--regid", "freerad", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"}
	out, err := s.Run(ctx, append(as, command...)...)
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, out)
	}
	return out, nil
}

// Ask asks as a device would; nil is silence.
func (s *Server) Ask(q Question) *protocol.Packet {
	s.t.Helper()
	return s.AskFrom(s.Client, q)
}

// AskFrom is Ask from another machine.
func (s *Server) AskFrom(at *lab.Client, q Question) *protocol.Packet {
	s.t.Helper()
	p, err := Ask(s.t.Context(), at, q, Patience)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// TryFor is Ask with less patience, and an error instead of the end of the test.
func (s *Server) TryFor(q Question, patience time.Duration) (*protocol.Packet, error) {
	return Ask(s.t.Context(), s.Client, q, patience)
}

// Station is the MAC address of who signs in, as a device tells it.
func Station(mac string) func(*protocol.Packet) {
	return func(p *protocol.Packet) { p.Add(protocol.CallingStationID, []byte(mac)) }
}

// Log is the folder of the log of sign-ins, as this process sees it.
func (s *Server) Log() string { return s.HostPath(freeradius.LogFolder) }

// Logged is all that was logged, by the name of the file.
func (s *Server) Logged() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for name := range strings.FieldsSeq(s.MustRun(s.t, "ls", freeradius.LogFolder)) {
		out[name] = s.MustRun(s.t, "cat", freeradius.LogFolder+"/"+name)
	}
	return out
}
