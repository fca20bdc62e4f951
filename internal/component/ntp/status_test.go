package ntp

import (
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/lab"
)

// followed is a machine whose daemon follows a server of the test's.
func followed(t *testing.T, l *lab.Lab, ahead time.Duration, more ...chrony.Source) (machine, *timeServer, *lab.Client) {
	t.Helper()
	gw, source := newMachine(t, l, "gw"), l.Client("time")
	server := newTimeServer(t, source)
	server.ahead.Store(int64(ahead))
	gw.MustRun(t, "sh", "-c", "echo '"+source.IP().String()+" ntp.example.com' >>/etc/hosts")
	gw.use(chrony.State{Sources: append(more, chrony.Source{Kind: "server", Address: "ntp.example.com", Iburst: true, Minpoll: pointer(-2), Maxpoll: pointer(0)})})
	return gw, server, source
}

func (m machine) status() Status {
	m.t.Helper()
	s, err := m.handlers().status(m.t.Context(), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return s.Body.Data
}

func (m machine) sources() []SourceStatus {
	m.t.Helper()
	s, err := m.handlers().sources(m.t.Context(), nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return s.Body.Data
}

// shows NTP-09, NTP-10
func TestStatusAndSourcesOfTheRunningDaemon(t *testing.T) {
	const ahead = 300 * time.Millisecond
	gw, _, source := followed(t, lab.New(t), ahead,
		chrony.Source{Kind: "server", Address: "198.51.100.1"}, chrony.Source{Kind: "pool", Address: "pool.example.com"})

	first := gw.status()
	if first.Synchronised || first.Stratum != 0 || first.Source != "" || first.Leap != "unsynchronised" || first.ReferenceID != "00000000" || first.LastUpdate != nil {
		t.Errorf("before anybody answered, status = %+v", first)
	}
	if got, err := componenttest.Values(t, gw.handlers().values()); err != nil || len(got) != 0 {
		t.Errorf("measured before anybody answered: %v (%v)", got, err)
	}
	until(t, 15*time.Second, "the daemon is synchronised", func() bool { return gw.status().Synchronised })
	s := gw.status()
	if got, err := componenttest.Values(t, gw.handlers().values()); err != nil || len(got) != 3 || got["ntp.stratum"] != 2 || got["ntp.offset"] == 0 || math.Abs(got["ntp.offset"]) > 1 {
		t.Errorf("measured: %v (%v)", got, err)
	}
	if s.Stratum != 2 || s.Source != "ntp.example.com" || s.SourceAddress != source.IP().String() || s.Leap != "normal" {
		t.Errorf("status = %+v", s)
	}
	if math.Abs(s.LastOffset) > 1 || s.Offset == 0 || math.Abs(s.Offset) > 1 {
		t.Errorf("offset = %v, last %v, want the rest of %v that is being corrected", s.Offset, s.LastOffset, ahead)
	}
	if s.LastUpdate == nil || time.Since(*s.LastUpdate).Abs() > time.Minute || s.RootDispersion <= 0 || s.RootDelay < 0 {
		t.Errorf("status = %+v, want a recent update and a dispersion", s)
	}

	byName := map[string]SourceStatus{}
	list := gw.sources()
	for _, src := range list {
		byName[src.Name] = src
	}
	if len(list) != 3 || len(byName) != 3 {
		t.Errorf("%d sources with %d names, want 3: %+v", len(list), len(byName), list)
	}
	good := byName["ntp.example.com"]
	if good.Mode != "server" || good.State != "selected" || good.Stratum != 1 || good.Address != source.IP().String() ||
		good.LastReceive == nil || *good.LastReceive > 10 || good.Reach&1 == 0 || good.Poll < -2 || good.Poll > 0 || good.Error <= 0 {
		t.Errorf("the source that answers = %+v", good)
	}
	if dead := byName["198.51.100.1"]; dead.Address != "198.51.100.1" || dead.State != "unusable" || dead.LastReceive != nil || dead.Reach != 0 || dead.Poll != 6 {
		t.Errorf("the source that does not answer = %+v", dead)
	}
	if unknown := byName["pool.example.com"]; unknown.Address != "" || unknown.State != "unusable" || unknown.Mode != "server" {
		t.Errorf("the pool that is not resolved = %+v", unknown)
	}
}

// A clock that is behind has a negative offset, wherever it is told.
func TestTheSignOfAnOffset(t *testing.T) {
	const ahead = 300 * time.Millisecond
	gw, _, _ := followed(t, lab.New(t), ahead)
	var measured float64
	until(t, 15*time.Second, "there is a measurement", func() bool {
		list := gw.sources()
		if len(list) == 1 && list[0].LastReceive != nil {
			measured = list[0].MeasuredOffset
		}
		return measured != 0
	})
	if math.Abs(measured+ahead.Seconds()) > 0.1 {
		t.Errorf("measured offset = %v, want %v: the clock is behind the source", measured, -ahead.Seconds())
	}
}

func TestAReferenceOfTheDaemonsOwn(t *testing.T) {
	gw := newMachine(t, lab.New(t), "gw")
	gw.MustRun(t, "sh", "-c", "echo local stratum 5 >/etc/chrony/conf.d/local.conf")
	gw.use(chrony.State{})
	if s := gw.status(); !s.Synchronised || s.Stratum != 5 || s.Source != "local clock" || s.SourceAddress != "" {
		t.Errorf("status = %+v", s)
	}
	if got := gw.sources(); got == nil || len(got) != 0 {
		t.Errorf("sources = %#v, want none, but not null", got)
	}
}

// deaf is a daemon that takes questions and answers none.
func deaf(t *testing.T) func(context.Context) (net.Conn, error) {
	t.Helper()
	hole, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hole.Close() })
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", hole.LocalAddr().String())
	}
}

func TestADaemonThatDoesNotAnswer(t *testing.T) {
	away, err := db.Open("postgres://nobody@127.0.0.1:1/none")
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	for name, dial := range map[string]func(context.Context) (net.Conn, error){
		"it hangs":          deaf(t),
		"it is not running": func(context.Context) (net.Conn, error) { return nil, errFake },
		"the port is closed": func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", "127.0.0.1:1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &handlers{Options{Dial: dial, DB: away}}
			ask := map[string]func() error{
				"status":  func() error { _, err := p.status(t.Context(), nil); return err },
				"sources": func() error { _, err := p.sources(t.Context(), nil); return err },
			}
			for what, fn := range ask {
				began := time.Now()
				err := fn()
				f, ok := fault.Of(err)
				if !ok || f.Kind != fault.Unavailable || f.Code != "ntp_unavailable" || !strings.Contains(f.Message, "restart it") {
					t.Errorf("%s: %v, want a fault that says the way out", what, err)
				}
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("%s took %v, want 2 s at the most", what, took)
				}
			}
		})
	}
}

func TestAnAnswerOfAnotherKindIsNoAnswer(t *testing.T) {
	if !lost(&net.OpError{Op: "read", Err: context.DeadlineExceeded}) || lost(errors.New("got status NOSUCHSOURCE (4)")) || lost(nil) {
		t.Error("a lost answer is not told from a refusal")
	}
	for n, want := range map[int]string{0: "server", 2: "refclock", 9: "server"} {
		if got := inWord(modes, n, "server"); got != want {
			t.Errorf("mode %d = %q, want %q", n, got, want)
		}
	}
}
