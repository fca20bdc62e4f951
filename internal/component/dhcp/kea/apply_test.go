package kea

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// fakeKea stands for a version of Kea that is not here, or for one that fails.
type fakeKea struct {
	mu       sync.Mutex
	commands []string
	refuse   string // the command that it refuses
	leases   map[string][]object
	told     []string
}

type object = map[string]any

var kea3 = []string{"config-reload", "config-set", "reservation-add", "reservation-del", "subnet4-add", "subnet4-del", "network4-subnet-add", "network4-subnet-del"}

// serveFake answers as Kea does; it returns the socket.
func serveFake(t *testing.T, f *fakeKea) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kea") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			f.answer(conn)
		}
	}()
	return ln.Addr().String()
}

func (f *fakeKea) answer(conn net.Conn) {
	defer conn.Close()
	var in struct {
		Command   string
		Arguments map[string]any
	}
	if err := json.NewDecoder(conn).Decode(&in); err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := object{"result": 0}
	switch in.Command {
	case "list-commands":
		out["arguments"] = f.commands
	case f.refuse:
		out["result"], out["text"] = 1, "no"
	case "lease4-get-by-hw-address":
		out["arguments"] = object{"leases": f.leases[fmt.Sprint(in.Arguments["hw-address"])]}
	case "lease4-get":
		out["arguments"] = object{"ip-address": in.Arguments["ip-address"]}
	}
	if in.Command != "list-commands" && in.Command != "lease4-get" && !strings.HasPrefix(in.Command, "lease4-get-by") {
		args, _ := json.Marshal(in.Arguments)
		f.told = append(f.told, strings.TrimSuffix(in.Command+" "+string(args), " null"))
	}
	_ = json.NewEncoder(conn).Encode(out)
}

func (f *fakeKea) heard() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	told := f.told
	f.told = nil
	return told
}

// Kea 3.0 is told the difference, and 2.6, which lacks the hooks, reads its file anew.
func TestWhatKeaIsTold(t *testing.T) {
	lan := Reservation{Address: "192.0.2.12", MAC: "02:00:5e:00:53:09", Hostname: "nas"}
	for _, tc := range []struct {
		what     string
		commands []string
		edit     func(*State)
		want     []string
	}{
		{"a reservation more", kea3, func(s *State) { s.Reservations = append(s.Reservations, StoredReservation{"a", lan}) }, []string{
			`reservation-add {"operation-target":"memory","reservation":{"hostname":"nas","hw-address":"02:00:5e:00:53:09","ip-address":"192.0.2.12","subnet-id":3221225984}}`,
		}},
		{"another address of a reservation", kea3, func(s *State) { s.Reservations[1].Address = "192.0.2.13" }, []string{
			`reservation-del {"ip-address":"192.0.2.11","operation-target":"memory","subnet-id":3221225984}`,
			`reservation-add {"operation-target":"memory","reservation":{"client-id":"00:61:62","ip-address":"192.0.2.13","subnet-id":3221225984}}`,
		}},
		{"a subnet less on an interface that stays", kea3, func(s *State) { s.Subnets[0].Interface = "eth1"; s.Subnets = s.Subnets[1:] }, []string{"config-reload"}},
		{"a second subnet of an interface", kea3, func(s *State) { s.Subnets[2].Active = nil }, []string{"config-reload"}},
		{"other options", kea3, func(s *State) { s.Subnets[0].LeaseTime = 700 }, []string{"config-reload"}},
		{"another interface", kea3, func(s *State) {
			s.Subnets[0].Interface = "eth3"
			s.Zones["eth3"] = "lan"
			s.Links = append(s.Links, "eth3")
		}, []string{"config-set", "config-reload"}},
		{"a name that no client has any more", []string{"config-reload"}, func(s *State) { s.Taken.Sites = []string{"shop.lan.example.com"} }, nil},
		{"nothing", kea3, func(*State) {}, nil},
		{"a reservation more, without the hooks", []string{"config-reload"}, func(s *State) { s.Reservations = append(s.Reservations, StoredReservation{"a", lan}) }, []string{"config-reload"}},
	} {
		f := &fakeKea{commands: tc.commands}
		s := full()
		was := mustRender(t, s)
		s = full()
		tc.edit(&s)
		d := New(Options{Socket: serveFake(t, f)})
		if err := d.Apply(t.Context(), was, mustRender(t, s)); err != nil {
			t.Errorf("%s: %v", tc.what, err)
		}
		heard := f.heard()
		for i, h := range heard {
			if name, _, _ := strings.Cut(h, " "); name == "config-set" {
				heard[i] = name
			}
		}
		if !slices.Equal(heard, tc.want) {
			t.Errorf("%s: told %q, want %q", tc.what, heard, tc.want)
		}
	}
}

// The first subnet of an interface needs a socket, and the second one has the first one move: both
// take a reload.
func TestAFurtherSubnetIsAddedAndDeletedHot(t *testing.T) {
	f := &fakeKea{commands: kea3}
	d := New(Options{Socket: serveFake(t, f)})
	s := full()
	s.Subnets[2].Active = nil
	was := mustRender(t, s)
	s.Subnets = append(s.Subnets, StoredSubnet{"n", Subnet{Interface: "eth1", Network: "10.0.0.0/24", LeaseTime: 600}})
	s.Reservations = append(s.Reservations, StoredReservation{"n", Reservation{Address: "10.0.0.5", MAC: "02:00:5e:00:53:09"}})
	now := mustRender(t, s)
	for _, way := range []struct {
		was, now daemon.Rendering
		want     []string
	}{{was, now, []string{"subnet4-add", "network4-subnet-add", "reservation-add"}}, {now, was, []string{"network4-subnet-del", "subnet4-del"}}} {
		if err := d.Apply(t.Context(), way.was, way.now); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, h := range f.heard() {
			name, _, _ := strings.Cut(h, " ")
			names = append(names, name)
		}
		if !slices.Equal(names, way.want) {
			t.Errorf("told %q, want %q", names, way.want)
		}
	}
}

// What Kea refuses when told, it reads from its file.
func TestARefusedStepIsAReload(t *testing.T) {
	f := &fakeKea{commands: kea3, refuse: "reservation-add"}
	d := New(Options{Socket: serveFake(t, f)})
	s := full()
	was := mustRender(t, s)
	s.Reservations = append(s.Reservations, StoredReservation{"a", Reservation{Address: "192.0.2.12", MAC: "02:00:5e:00:53:09"}})
	if err := d.Apply(t.Context(), was, mustRender(t, s)); err != nil {
		t.Fatal(err)
	}
	if heard := f.heard(); len(heard) != 2 || heard[1] != "config-reload" {
		t.Errorf("told %q", heard)
	}
	f.refuse = "config-reload"
	err := d.Apply(t.Context(), daemon.Rendering{}, was)
	if is, ok := fault.Of(err); !ok || is.Kind != fault.Unavailable {
		t.Errorf("a file that Kea refuses: %v", err)
	}
}

// A client that holds another address would renew it for ever.
func TestAReservedClientLosesItsOtherLease(t *testing.T) {
	const mac = "02:00:5e:00:53:09"
	f := &fakeKea{commands: kea3, leases: map[string][]object{mac: {
		{"ip-address": "192.0.2.77", "hw-address": mac, "subnet-id": 3221225984},
		{"ip-address": "198.51.100.12", "hw-address": mac, "subnet-id": 3325256704},
		{"ip-address": "192.0.2.12", "hw-address": mac, "subnet-id": 3221225984},
	}}}
	d := New(Options{Socket: serveFake(t, f)})
	s := full()
	was := mustRender(t, s)
	s.Reservations = append(s.Reservations, StoredReservation{"a", Reservation{Address: "192.0.2.12", MAC: mac}})
	if err := d.Apply(t.Context(), was, mustRender(t, s)); err != nil {
		t.Fatal(err)
	}
	if heard := f.heard(); len(heard) != 2 || heard[1] != `lease4-del {"ip-address":"192.0.2.77"}` {
		t.Errorf("told %q", heard)
	}
}

func TestAServerThatDoesNotStart(t *testing.T) {
	units := &componenttest.Units{Act: func(context.Context, string, string) error { return &sys.JobError{Result: "failed"} }}
	d := New(Options{Units: units, Socket: filepath.Join(t.TempDir(), "none")})
	err := d.Apply(t.Context(), daemon.Rendering{}, mustRender(t, full()))
	if f, ok := fault.Of(err); !ok || f.Kind != fault.Unavailable || !strings.Contains(f.Message, Unit) {
		t.Errorf("apply = %v", err)
	}
	if asked := units.Asked(); !slices.Equal(asked, []string{"start " + Unit}) {
		t.Errorf("asked %q", asked)
	}
	off := full()
	off.Settings.Enabled = pointer(false)
	if err := d.Apply(t.Context(), daemon.Rendering{}, mustRender(t, off)); err != nil || len(units.Asked()) > 0 {
		t.Errorf("switched off: %v", err)
	}
}

// A reservation is judged when it is accepted; all else is for Kea to judge.
func TestWhatIsPlain(t *testing.T) {
	plain := New(Options{}).Plain
	for what, tc := range map[string]struct {
		edit func(*State)
		want bool
	}{
		"a reservation more": {func(s *State) {
			s.Reservations = append(s.Reservations, StoredReservation{"b", Reservation{Address: "198.51.100.5", MAC: "02:00:5e:00:53:07"}})
		}, true},
		"a reservation less": {func(s *State) { s.Reservations = s.Reservations[1:] }, true},
		"another pool":       {func(s *State) { s.Subnets[0].Pools = nil }, false},
		"another option":     {func(s *State) { s.Subnets[0].Options = []string{"66 text b"} }, false},
		"a subnet more":      {func(s *State) { s.Subnets[2].Active = nil }, false},
		"another interface":  {func(s *State) { s.Links = []string{"eth1"} }, false},
		"another lease time": {func(s *State) { s.Subnets[1].LeaseTime++ }, false},
		"not authoritative":  {func(s *State) { s.Settings.Authoritative = pointer(false) }, false},
	} {
		s := full()
		tc.edit(&s)
		if got := plain(mustRender(t, full()), mustRender(t, s)); got != tc.want {
			t.Errorf("%s is plain: %v", what, got)
		}
	}
	if plain(daemon.Rendering{}, mustRender(t, full())) {
		t.Error("all of it at once is plain")
	}
}

func TestTheChecker(t *testing.T) {
	for said, want := range map[error]fault.Kind{
		&sys.ExitError{Path: program, Code: 1, Stderr: "secret text"}: fault.Invalid,
		fmt.Errorf("run: %w", os.ErrNotExist):                         fault.Unavailable,
	} {
		d := New(Options{Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, said }})
		err := componenttest.Check(t, d.Config, mustRender(t, full()))
		if f, ok := fault.Of(err); !ok || f.Kind != want || strings.Contains(f.Message, "secret") {
			t.Errorf("%v: %v", said, err)
		}
	}
	other := errors.New("made up for a test")
	d := New(Options{Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, other }})
	if err := componenttest.Check(t, d.Config, mustRender(t, full())); !errors.Is(err, other) {
		t.Errorf("another error: %v", err)
	}
}
