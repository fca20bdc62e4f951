package haproxy_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/haproxy"
)

// server finds one in what HAProxy lists.
func (r *rig) server(backend, name string) (haproxy.Server, bool) {
	r.t.Helper()
	all, err := r.Runtime.Servers(r.t.Context())
	r.must(err)
	i := slices.IndexFunc(all, func(s haproxy.Server) bool { return s.Backend == backend && s.Name == name })
	if i < 0 {
		return haproxy.Server{}, false
	}
	return all[i], true
}

func TestServerChanges(t *testing.T) {
	r := newRig(t, "")
	ctx := short(t)
	elsewhere := netip.MustParseAddrPort("127.0.0.1:9")
	r.must(r.Runtime.ServerWeight(ctx, "pool", "one", 7))
	r.must(r.Runtime.ServerAddr(ctx, "pool", "one", elsewhere))
	r.must(r.Runtime.ServerAddr(ctx, "pool", "one", elsewhere))
	if got, _ := r.server("pool", "one"); got.Weight != 7 || got.Addr != elsewhere || !got.Up || got.Maintenance {
		t.Errorf("server = %+v, want weight 7 at %v, up", got, elsewhere)
	}
	if got := r.get(""); got != "503" {
		t.Errorf("from nobody = %q, want 503", got)
	}
	r.must(r.Runtime.ServerAddr(ctx, "pool", "one", netip.MustParseAddrPort("[::1]:80")))
	r.must(r.Runtime.ServerAddr(ctx, "pool", "one", netip.MustParseAddrPort(r.origin)))
	if got := r.get(""); got != "hello" {
		t.Errorf("from the origin = %q, want hello", got)
	}
	for _, state := range []string{haproxy.Maintenance, haproxy.Drain, haproxy.Ready} {
		r.must(r.Runtime.ServerState(ctx, "pool", "one", state))
		got, _ := r.server("pool", "one")
		if got.Maintenance != (state == haproxy.Maintenance) || got.Drain != (state == haproxy.Drain) {
			t.Errorf("%s: server = %+v", state, got)
		}
	}
}

func TestServerIsAddedAndRemoved(t *testing.T) {
	r := newRig(t, "")
	ctx := short(t)
	r.must(r.Runtime.ServerAdd(ctx, "pool", "two", r.origin+" check inter 50ms fastinter 25ms weight 5", true))
	r.must(r.Runtime.ServerAdd(ctx, "pool", "three", r.origin, false))
	got, found := r.server("pool", "two")
	if !found || got.Weight != 5 || got.Maintenance {
		t.Errorf("the new server = %+v, %v, want it ready with weight 5", got, found)
	}
	r.must(r.Runtime.ServerRemove(ctx, "pool", "one", time.Second))
	for range 4 {
		if got := r.get(""); got != "hello" {
			t.Errorf("from the new ones = %q, want hello", got)
		}
	}
	// HAProxy keeps connections to them for the next request; these are no reason to wait.
	for _, name := range []string{"two", "three"} {
		r.must(r.Runtime.ServerRemove(ctx, "pool", name, time.Second))
	}
	if got := r.get(""); got != "503" {
		t.Errorf("from nobody = %q, want 503", got)
	}
}

func TestServerWithAConnectionStays(t *testing.T) {
	r := newRig(t, "")
	ctx := short(t)
	conn := r.hold()
	began := time.Now()
	if err := r.Runtime.ServerRemove(ctx, "pipes", "one", 50*time.Millisecond); !errors.Is(err, haproxy.ErrBusy) {
		t.Errorf("removing a busy server = %v, want ErrBusy", err)
	}
	if took := time.Since(began); took < 50*time.Millisecond || took > 5*time.Second {
		t.Errorf("waited %v, want 50 ms", took)
	}
	if got, found := r.server("pipes", "one"); !found || got.Maintenance || !got.Up {
		t.Errorf("the busy server = %+v, %v, want it as before", got, found)
	}
	r.must(r.Runtime.ServerState(ctx, "pipes", "one", haproxy.Maintenance))
	if err := r.Runtime.ServerRemove(ctx, "pipes", "one", time.Millisecond); !errors.Is(err, haproxy.ErrBusy) {
		t.Errorf("removing a busy server in maintenance = %v, want ErrBusy", err)
	}
	if got, _ := r.server("pipes", "one"); !got.Maintenance {
		t.Errorf("the busy server = %+v, want it in maintenance as before", got)
	}
	_ = conn.Close()
	r.must(r.Runtime.ServerRemove(ctx, "pipes", "one", 5*time.Second))
}

func TestServerRefusals(t *testing.T) {
	r := newRig(t, "")
	ctx := short(t)
	for _, tc := range []struct {
		name, want string
		err        error
	}{
		{"a weight too large", "Absolute weight", r.Runtime.ServerWeight(ctx, "pool", "one", 300)},
		{"an unknown server", "No such server", r.Runtime.ServerWeight(ctx, "pool", "nobody", 3)},
		{"an unknown backend", "No such backend", r.Runtime.ServerState(ctx, "nothing", "one", haproxy.Ready)},
		{"an unknown state", "expects 'ready'", r.Runtime.ServerState(ctx, "pool", "one", "asleep")},
		{"no address", "Invalid addr", r.Runtime.ServerAddr(ctx, "pool", "one", netip.AddrPort{})},
		{"a server that is there", "Already exists", r.Runtime.ServerAdd(ctx, "pool", "one", "127.0.0.1:9", false)},
		{"an unknown setting", "unknown keyword", r.Runtime.ServerAdd(ctx, "pool", "two", "127.0.0.1:9 chekc", false)},
		{"health without a check", "Health check was not configured", r.Runtime.ServerAdd(ctx, "pool", "two", "127.0.0.1:9", true)},
		{"the removal of nobody", "No such server", r.Runtime.ServerRemove(ctx, "pool", "nobody", time.Second)},
		{"the removal from nowhere", "find backend", r.Runtime.ServerRemove(ctx, "nothing", "nobody", time.Second)},
		{"a second command", "not valid server settings", r.Runtime.ServerAdd(ctx, "pool", "two", "127.0.0.1:9;del server pool/one", false)},
		{"a second line", "not a valid name", r.Runtime.ServerWeight(ctx, "pool", "one\ndel server pool/one", 1)},
		{"a slash too many", "not a valid backend name", r.Runtime.ServerWeight(ctx, "pool/one", "two", 1)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.err == nil || !strings.Contains(tc.err.Error(), tc.want) {
				t.Errorf("got %v, want %s", tc.err, tc.want)
			}
		})
	}
	if all, err := r.Runtime.Servers(ctx); err != nil || len(all) != 2 {
		t.Errorf("servers = %+v, %v, want the two that were there", all, err)
	}
}

// statsAfter are the statistics once so many requests are counted, which is a moment after the last answer.
func (r *rig) statsAfter(of string, requests int64) (stats []haproxy.Stat) {
	r.t.Helper()
	ctx := short(r.t)
	for {
		stats, err := r.Runtime.Stats(ctx)
		r.must(err)
		if slices.ContainsFunc(stats, func(s haproxy.Stat) bool { return s.Proxy+" "+s.Name == of && int64(s.Requests) >= requests }) {
			return stats
		}
	}
}

func TestStats(t *testing.T) {
	r := newRig(t, "")
	if err := r.Runtime.Answers(t.Context()); err != nil {
		t.Errorf("it does not answer: %v", err)
	}
	for range 3 {
		r.get("")
	}
	stats := r.statsAfter("pool BACKEND", 3)
	want := map[string]haproxy.Kind{"web FRONTEND": haproxy.FrontendStat, "pool BACKEND": haproxy.BackendStat, "pool one": haproxy.ServerStat}
	for _, s := range stats {
		kind, wanted := want[s.Proxy+" "+s.Name]
		if !wanted {
			continue
		}
		delete(want, s.Proxy+" "+s.Name)
		if s.Kind != kind || s.Requests != 3 || s.BytesIn == 0 || s.BytesOut == 0 || s.Status == "" {
			t.Errorf("%s %s = %+v, want 3 requests of kind %s", s.Proxy, s.Name, s, kind)
		}
	}
	if len(want) > 0 {
		t.Errorf("no statistics of %v", want)
	}
}
