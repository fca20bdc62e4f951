package haproxyconf

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/process"
	"gateway/internal/sys"
)

// shows PROXY-32
func TestAlgorithms(t *testing.T) {
	r := newStore(t)
	for _, algorithm := range []string{"roundrobin", "leastconn", "source"} {
		id := r.Backend(algorithm, object{"lb_algorithm": algorithm})
		_, section, _ := strings.Cut(string(r.Rendered().File(Path)), "backend gateway_backend_"+id+"\n\tid "+number(id)+"\n")
		if !strings.HasPrefix(section, "\tbalance "+algorithm+"\n") {
			t.Errorf("%s is rendered as %.40q", algorithm, section)
		}
	}
	for _, algorithm := range []string{"static-rr", "first", "random", "uri", "", "source\n\tserver x 127.0.0.1:1"} {
		if a := r.Do("POST", "/backends", object{"name": "x", "lb_algorithm": algorithm}); a.Status != http.StatusBadRequest {
			t.Errorf("%q is answered %d", algorithm, a.Status)
		}
	}
}

// An address that the node has is as good as the loopback, as soon as it has it.
func TestServersAtAnAddressOfThisNodeAreLeftOut(t *testing.T) {
	s := state{backends: []pool{web(11)}, servers: members(at(11, "a", "203.0.113.7")), domains: []site{domain(21, "example.com", 11)}}
	if out := render(s); len(out.Problems) > 0 {
		t.Errorf("another machine is left out: %+v", out.Problems)
	}
	s.own = []netip.Addr{netip.MustParseAddr("203.0.113.7")}
	if out := render(s); len(out.Problems) != 1 || strings.Contains(string(out.File(Path)), "203.0.113.7") {
		t.Errorf("the node's own management is told as %+v", out.Problems)
	}
}

// moving is a node whose address changes.
type moving struct{ at atomic.Value }

func (m *moving) Interfaces() ([]sys.Interface, error) {
	return []sys.Interface{{Name: "eth0", AddrInfo: []sys.Address{{Local: m.at.Load().(string)}}}}, nil
}

func TestAnotherAddressOfThisNodeIsRenderedAnew(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	host, wakes, told := &moving{}, make(chan struct{}), make(chan struct{}, 1)
	host.at.Store("192.0.2.1")
	a := newAdapter(Options{Host: host, Watch: func(ctx context.Context, wake func()) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-wakes:
				wake()
			}
		}
	}})
	a.listed, _ = a.addresses()
	done := make(chan error, 1)
	go func() { done <- a.background(ctx, func() { process.Notify(told) }) }()
	wakes <- struct{}{}
	host.at.Store("203.0.113.7")
	wakes <- struct{}{}
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Error("nobody was told")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Rows that came past the API, or are older than the rule.
func TestServersThatLeadToThisNodeOrToMetadataAreLeftOutAndNamed(t *testing.T) {
	named := func(address string, port int) bool {
		m := at(11, "bad", address)
		m.Port = port
		out := render(state{backends: []pool{web(11)}, servers: members(at(11, "good", "192.0.2.11"), m), domains: []site{domain(21, "example.com", 11)}})
		text := string(out.File(Path))
		if !strings.Contains(text, "\tserver good 192.0.2.11:8080") {
			t.Errorf("%s port %d takes another server with it", address, port)
		}
		told := slices.ContainsFunc(out.Problems, func(p daemon.Problem) bool { return p.Subject == "server bad of backend web 11" })
		if left := !strings.Contains(text, "\tserver bad "); left != told {
			t.Errorf("%s port %d is left out: %t, named: %t", address, port, left, told)
		}
		return told
	}
	for address, ports := range map[string]map[int]bool{
		"169.254.169.254": {80: true}, "fe80::1": {8081: true}, "100.100.100.200": {80: true}, "fd00:ec2::254": {80: true}, "64:ff9b::a9fe:a9fe": {80: true},
		"127.0.0.1": {8080: true, 13128: true, 3443: true, 8081: false}, "::1": {443: true, 8081: false}, "192.0.2.12": {8080: false}, "localhost": {8080: true, 8081: false}, "metadata.google.internal": {80: true}, "backend.example.com": {8080: false},
	} {
		for port, want := range ports {
			if got := named(address, port); got != want {
				t.Errorf("%s port %d is left out: %t, want %t", address, port, got, want)
			}
		}
	}
}
