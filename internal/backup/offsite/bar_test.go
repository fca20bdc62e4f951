package offsite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/outbound"
	"gateway/lab/s3test"
	"gateway/lab/sshtest"
	"gateway/tools/bar"
)

// fallible is a target that fails in its own way, and what is to be told of it; empty: nothing, it is only slow.
type fallible struct {
	Target
	want Code
}

// allSize is so large that a slow upload takes longer than nothing may move.
const allSize = 8 << 20

// offsiteRig has good targets and a network that leads to bad ones too.
type offsiteRig struct {
	testing.TB
	store   objects
	server  files
	changed files // with another host key than is pinned
	net     wires
	// elsewhere is where redirects lead.
	elsewhere *atomic.Int64
}

// own is no address: only loopback and its like are refused.
func own() ([]netip.Addr, error) { return nil, nil }

// deps reach the wires, and all else as the product does.
func (r *offsiteRig) deps() Deps {
	d := r.net.deps()
	d.Stall = 5 * time.Second
	d.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if _, led := r.net[address]; led {
			return r.net.dial(ctx, network, address)
		}
		return outbound.Dialer(own).DialContext(ctx, network, address)
	}
	return d
}

func newOffsiteRig(t testing.TB) *offsiteRig {
	t.Helper()
	r := &offsiteRig{TB: t, store: newObjects(t, s3test.Options{}), server: newFiles(t, sshtest.Options{}), changed: newFiles(t, sshtest.Options{})}
	r.net = wires{storeAddr: r.store.wire, serverAddr: r.server.wire}
	return r
}

// inStore is a target in the store, by a wire and with a prefix of its own.
func (r *offsiteRig) inStore(name string, w *wire, change func(*S3)) Target {
	r.net[name+".example:80"] = w
	return with(r.store.target(), func(s *S3, _ *SFTP) {
		s.Endpoint, s.Prefix = name+".example:80", name
		change(s)
	})
}

// onServer is the same with the server, and a folder of its own.
func (r *offsiteRig) onServer(name string, w *wire, change func(*SFTP)) Target {
	r.server.mkdir(r, name)
	r.net[name+".example:22"] = w
	return with(r.server.target(), func(_ *S3, s *SFTP) {
		s.Host, s.Dir = name+".example", name
		change(s)
	})
}

// spoiled is a wire to an address that is as bad as said.
func (r *offsiteRig) spoiled(to string, stallAt int64, rate int) *wire {
	w := newWire(r, to)
	w.spoil(0, stallAt, rate)
	return w
}

func (r *offsiteRig) bad() []fallible {
	fullStore, fullServer := newObjects(r, s3test.Options{Room: "4m"}), newFiles(r, sshtest.Options{Room: "4m"})
	port, conns := counter(r)
	r.elsewhere = conns
	leads := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:"+port, http.StatusTemporaryRedirect))
	r.Cleanup(leads.Close)
	same, other := func(*S3) {}, func(*SFTP) {}
	store, server := r.store.to, r.server.to
	const slow, stall = 3 << 19, 1 << 20
	return []fallible{
		{r.inStore("slow-store", r.spoiled(store, 0, slow), same), ""},
		{r.onServer("slow-server", r.spoiled(server, 0, slow), other), ""},
		{r.inStore("hung-store", r.spoiled(store, stall, 0), same), CodeTimeout},
		{r.onServer("hung-server", r.spoiled(server, stall, 0), other), CodeTimeout},
		{r.inStore("full-store", fullStore.wire, same), CodeFull},
		{r.onServer("full-server", fullServer.wire, func(s *SFTP) { s.Dir, s.Fingerprint = "", "" }), CodeFull},
		{r.inStore("strange-store", r.store.wire, func(s *S3) { s.SecretKey = "wrong" }), CodeCredentials},
		{r.onServer("strange-server", r.server.wire, func(s *SFTP) { s.Password = "wrong" }), CodeCredentials},
		{r.onServer("changed-server", r.changed.wire, func(s *SFTP) { s.Dir = "" }), CodeHostKey},
		{r.inStore("leading-store", newWire(r, strings.TrimPrefix(leads.URL, "http://")), same), CodeRedirect},
		{with(r.store.target(), func(s *S3, _ *SFTP) { s.Endpoint = "127.0.0.1:" + port }), CodeAddress},
		{with(r.server.target(), func(_ *S3, s *SFTP) { s.Host, s.Port = "127.0.0.1", number(port) }), CodeAddress},
	}
}

// TestBarOperations06Offsite uploads to good targets and all bad ones at once, and then cuts uploads at random places.
func TestBarOperations06Offsite(t *testing.T) {
	bar.NotShort(t)
	r := newOffsiteRig(t)
	bad := r.bad()
	untold, spoiled := r.atOnce(bad)
	logins, led := r.changed.Logins(), r.elsewhere.Load()
	r.controls()
	wrong, left := r.again(bad), 0
	cuts := bar.GateSize(3, 20, 200)
	for i := range cuts {
		wrong += r.cutUpload(r.inStore(fmt.Sprintf("cut-store-%d", i), newWire(r, r.store.to), func(*S3) {}), partSize+4<<20)
		wrong += r.cutUpload(r.onServer(fmt.Sprintf("cut-server-%d", i), newWire(r, r.server.to), func(*SFTP) {}), 6<<20)
	}
	left = r.store.left() + r.server.left()
	memory := r.memory(int64(bar.GateSize(40, 256, 1024)) << 20)
	figure := fmt.Sprintf("%d bad targets beside 2 good ones: %d not told by their code, %d good ones spoiled; %d cuts: %d partial objects called good or left, %d unfinished; "+
		"%d logins at a changed host, %d connections to loopback; %d KiB more memory for a large archive", len(bad), untold, spoiled, 2*cuts, wrong, left, logins, led, memory>>10)
	right := untold == 0 && spoiled == 0 && wrong == 0 && left == 0 && logins == 0 && led == 0 && memory <= 32<<20
	bar.Report(t, "operations", 6, figure, "0 not told, 0 spoiled, 0 partial, 0 unfinished, 0 logins, 0 connections, ≤ 32 MiB", right)
}

// atOnce uploads everywhere, and counts whose outcome was not told by its code, and which good targets lack the archive.
func (r *offsiteRig) atOnce(bad []fallible) (untold, spoiled int) {
	targets := []Target{r.store.target(), r.server.target()}
	for _, b := range bad {
		targets = append(targets, b.Target)
	}
	began := time.Now()
	all := putAll(r.Context(), r.deps(), targets, "all.gwb", allSize, archive{1})
	_, inStore := r.store.has("all.gwb", archive{1}, allSize)
	_, onServer := r.server.has("all.gwb", archive{1}, allSize)
	for i, whole := range []bool{inStore, onServer} {
		r.Logf("good target %d: whole %t, after %v, %v", i, whole, all[i].At.Sub(began), all[i].Err)
		if !whole || all[i].Err != nil {
			spoiled++
		}
	}
	for i, b := range bad {
		out := all[i+2]
		code, _ := CodeOf(out.Err)
		r.Logf("%v: after %v, %v", b.want, out.At.Sub(began), out.Err)
		if (out.Err == nil) != (b.want == "") || out.Err != nil && code != b.want {
			untold++
		}
	}
	return untold, spoiled
}

// again uploads to those that hung, on good wires: it works, and removes what they had of the first attempt.
func (r *offsiteRig) again(bad []fallible) (wrong int) {
	for _, b := range bad {
		if b.want != CodeTimeout {
			continue
		}
		w, has := r.behind(b.Target)
		if there, _ := has("all.gwb", archive{1}, allSize); there {
			wrong++
		}
		w.heal()
		_, err := b.Put(r.Context(), r.deps(), "all.gwb", allSize, archive{1})
		if _, whole := has("all.gwb", archive{1}, allSize); err != nil || !whole {
			r.Logf("again: whole %t, %v", whole, err)
			wrong++
		}
	}
	return wrong
}

// controls show that what was counted can be: the changed host takes a login when its key is expected, and loopback
// is reached by who does not look.
func (r *offsiteRig) controls() {
	r.Helper()
	d := r.deps()
	target := with(r.server.target(), func(_ *S3, s *SFTP) {
		s.Host, s.Fingerprint = "changed-server.example", r.changed.Fingerprints["ed25519"]
	})
	if _, err := target.Test(r.Context(), d); err != nil || r.changed.Logins() == 0 {
		r.Errorf("with its own key: %v, %d logins", err, r.changed.Logins())
	}
	port, conns := counter(r)
	d.Dial = (&net.Dialer{}).DialContext
	_, err := with(r.store.target(), func(s *S3, _ *SFTP) { s.Endpoint = "127.0.0.1:" + port }).Test(r.Context(), d)
	if err == nil || conns.Load() == 0 {
		r.Errorf("without the safe dialer: %v, %d connections", err, conns.Load())
	}
}

// cutUpload cuts one upload somewhere, and counts what is called an archive and is none. Then the wire is good again,
// and the same upload succeeds: the control.
func (r *offsiteRig) cutUpload(target Target, size int64) (wrong int) {
	r.Helper()
	w, has := r.behind(target)
	w.spoil(1+rand.Int64N(size), 0, 0)
	d := r.deps()
	_, err := target.Put(r.Context(), d, "cut.gwb", size, archive{5})
	there, whole := has("cut.gwb", archive{5}, size)
	if code, _ := CodeOf(err); err == nil || code != CodeInterrupted && code != CodeUnreachable || there && !whole {
		r.Logf("cut: there %t, whole %t, %v", there, whole, err)
		wrong++
	}
	w.heal()
	if _, err := target.Put(r.Context(), d, "cut.gwb", size, archive{5}); err != nil {
		r.Errorf("after the cut: %v", err)
	}
	if _, whole := has("cut.gwb", archive{5}, size); !whole {
		wrong++
	}
	return wrong
}

// behind is the wire to a target, and who looks at what it has.
func (r *offsiteRig) behind(t Target) (*wire, func(string, archive, int64) (bool, bool)) {
	if t.S3 != nil {
		return r.net[t.S3.Endpoint], func(name string, a archive, size int64) (bool, bool) {
			content, there := r.store.Object(t.S3.Prefix + "/" + name)
			return there, there && a.is(content, size)
		}
	}
	return r.net[t.SFTP.Host+":22"], func(name string, a archive, size int64) (bool, bool) {
		return r.server.has(t.SFTP.Dir+"/"+name, a, size)
	}
}

// memory is what a large upload to both good targets takes at most.
func (r *offsiteRig) memory(size int64) int64 {
	r.Helper()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() int64 { metrics.Read(sample); return int64(sample[0].Value.Uint64()) }
	runtime.GC()
	runtime.GC() // what is garbage already is no part of it
	from, most := read(), int64(0)
	done := make(chan []outcome)
	go func() {
		done <- putAll(r.Context(), r.deps(), []Target{r.store.target(), r.server.target()}, "large.gwb", size, archive{7})
	}()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case all := <-done:
			for _, out := range all {
				if out.Err != nil {
					r.Error(out.Err)
				}
			}
			return most
		case <-tick.C:
			most = max(most, read()-from)
		}
	}
}
