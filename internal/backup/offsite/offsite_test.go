package offsite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/lab/s3test"
	"gateway/lab/sshtest"
)

// await waits until so much was sent.
func (w *wire) await(bytes int64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for w.sent.Load() < bytes {
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
	}
}

// counter is a listener on loopback that nobody should come to.
func counter(t testing.TB) (port string, conns *atomic.Int64) {
	t.Helper()
	conns = &atomic.Int64{}
	for _, host := range []string{"127.0.0.1", "::1"} {
		ln, err := net.Listen("tcp", net.JoinHostPort(host, cmp.Or(port, "0")))
		if err != nil {
			t.Logf("no listener on %s: %v", host, err)
			continue
		}
		t.Cleanup(func() { _ = ln.Close() })
		_, port, _ = net.SplitHostPort(ln.Addr().String())
		go func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				conns.Add(1)
				_ = conn.Close()
			}
		}()
	}
	return port, conns
}

// local are ways to name this machine, and places that only it can reach.
var local = []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "169.254.169.254", "[fe80::1]", "198.51.100.7"}

func TestNoLocalAddressIsReached(t *testing.T) {
	port, conns := counter(t)
	d := Deps{
		Own:   func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("198.51.100.7")}, nil },
		Stall: 5 * time.Second, Retry: time.Millisecond, Authorities: "/nonexistent",
	}
	targets := func(host string) []Target {
		return []Target{
			{Kind: KindS3, S3: &S3{Endpoint: host + ":" + port, Bucket: "b", AccessKey: "a", SecretKey: "s"}},
			{Kind: KindS3, S3: &S3{Endpoint: host + ":" + port, Bucket: "b", AccessKey: "a", SecretKey: "s", HTTPS: true}},
			{Kind: KindSFTP, SFTP: &SFTP{Host: host, Port: number(port), User: "u", Password: "p"}},
		}
	}
	for _, host := range local {
		for i, target := range targets(host) {
			_, err := target.Test(t.Context(), d)
			// Forms that only some libraries take for an address are names to Go, which nobody has.
			if got, _ := CodeOf(err); err == nil || got != CodeAddress && got != CodeName && got != CodeTimeout {
				t.Errorf("%s, target %d: %v, want it refused", host, i, err)
			}
		}
	}
	if got := conns.Load(); got != 0 {
		t.Errorf("connections = %d, want 0", got)
	}
	d.Dial = (&net.Dialer{}).DialContext // the control: a dialer that looks at nothing
	for _, target := range targets("127.0.0.1") {
		if _, err := target.Test(t.Context(), d); err == nil {
			t.Error("a server that says nothing took an archive")
		}
	}
	if got := conns.Load(); got < 3 {
		t.Errorf("connections without the safe dialer = %d, want at least 3", got)
	}
}

func number(port string) (n int) {
	_, _ = fmt.Sscan(port, &n)
	return n
}

func TestASlowTargetIsWaitedForAndOneThatHangsIsNot(t *testing.T) {
	o, f := newObjects(t, s3test.Options{}), newFiles(t, sshtest.Options{})
	d := wires{storeAddr: o.wire, serverAddr: f.wire}.deps()
	d.Stall = 4 * time.Second
	const size, rate = 8 << 20, 3 << 19 // more than five seconds
	targets := []Target{o.target(), f.target()}
	o.spoil(0, 0, rate)
	f.spoil(0, 0, rate)
	began := time.Now()
	for i, out := range putAll(t.Context(), d, targets, "slow.gwb", size, archive{3}) {
		if took := out.At.Sub(began); out.Err != nil || took < d.Stall {
			t.Errorf("slow target %d: %v after %v, want it done and longer than nothing may move", i, out.Err, took)
		}
	}
	_, inStore := o.has("slow.gwb", archive{3}, size)
	_, onServer := f.has("slow.gwb", archive{3}, size)
	if !inStore || !onServer {
		t.Errorf("in the store = %t, on the server = %t, want both", inStore, onServer)
	}
	o.spoil(0, 1<<20, 0)
	f.spoil(0, 1<<20, 0)
	began = time.Now()
	for _, out := range putAll(t.Context(), d, targets, "hung.gwb", size, archive{3}) {
		code(t, out.Err, CodeTimeout)
		if took := out.At.Sub(began); took > 10*d.Stall { // a busy machine is no reason
			t.Errorf("gave up after %v, want about %v", took, d.Stall)
		}
	}
	inStore, _ = o.has("hung.gwb", archive{3}, size)
	onServer, _ = f.has("hung.gwb", archive{3}, size)
	if inStore || onServer {
		t.Errorf("in the store = %t, on the server = %t, want neither: they hung", inStore, onServer)
	}
}

func TestAnUploadEndsWithItsCaller(t *testing.T) {
	o, f := newObjects(t, s3test.Options{}), newFiles(t, sshtest.Options{})
	d := wires{storeAddr: o.wire, serverAddr: f.wire}.deps()
	o.spoil(0, 1<<20, 0)
	f.spoil(0, 1<<20, 0)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []outcome)
	go func() { done <- putAll(ctx, d, []Target{o.target(), f.target()}, "one.gwb", 8<<20, archive{1}) }()
	o.await(1 << 20)
	f.await(1 << 20)
	cancel()
	select {
	case all := <-done:
		for _, out := range all {
			code(t, out.Err, CodeStopped)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on")
	}
}

// shows BAK-25
func TestOneTargetThatFailsSpoilsNoOther(t *testing.T) {
	o, f, dead := newObjects(t, s3test.Options{}), newFiles(t, sshtest.Options{}), newFiles(t, sshtest.Options{})
	dead.spoil(0, 1, 0)
	d := wires{storeAddr: o.wire, serverAddr: f.wire, "dead.example:22": dead.wire}.deps()
	d.Stall = 3 * time.Second
	const size = 5 << 20
	hangs := with(dead.target(), func(_ *S3, s *SFTP) { s.Host = "dead.example" })
	all := putAll(t.Context(), d, []Target{hangs, o.target(), f.target()}, "one.gwb", size, archive{1})
	code(t, all[0].Err, CodeTimeout)
	if err := errors.Join(all[1].Err, all[2].Err); err != nil {
		t.Error(err)
	}
	_, inStore := o.has("one.gwb", archive{1}, size)
	_, onServer := f.has("one.gwb", archive{1}, size)
	if !inStore || !onServer {
		t.Errorf("in the store = %t, on the server = %t, want both", inStore, onServer)
	}
	if !all[0].At.After(all[1].At) || all[2].Fingerprint != f.Fingerprints["ed25519"] {
		t.Errorf("outcomes = %+v: one waited for another, or the host key is missing", all)
	}
}

func TestOldArchivesOfANodeAreRemoved(t *testing.T) {
	o, f := newObjects(t, s3test.Options{}), newFiles(t, sshtest.Options{})
	d := wires{storeAddr: o.wire, serverAddr: f.wire}.deps()
	day := time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	name := func(node string, n int) string {
		return Name{Host: "gw.example", Node: node, At: day.AddDate(0, 0, n), ID: fmt.Sprintf("%08d", n)}.String()
	}
	for kind, target := range map[string]Target{"s3": o.target(), "sftp": f.target()} {
		t.Run(kind, func(t *testing.T) {
			put := []string{"foreign.txt", name("two", 0), name("one", 0), name("one", 3), name("one", 1), name("one", 2)}
			for _, n := range put { // the oldest come last: what counts is the time in the name
				if _, err := target.Put(t.Context(), d, n, 10, archive{1}); err != nil {
					t.Fatal(err)
				}
			}
			ours := []string{name("one", 0), name("one", 1), name("one", 2), name("one", 3), name("one", 9)}
			got, err := target.Retain(t.Context(), d, ours, 2)
			if err != nil || !slices.Equal(got.Removed, []string{name("one", 0), name("one", 1)}) {
				t.Errorf("removed %v, %v", got.Removed, err)
			}
			if !got.Listed || got.Foreign != 1 {
				t.Errorf("found %+v, want one of another node", got)
			}
			left, err := target.List(t.Context(), d)
			var names []string
			for _, l := range left {
				names = append(names, l.Name)
			}
			want := []string{"foreign.txt", name("one", 2), name("one", 3), name("two", 0)}
			slices.Sort(want)
			if err != nil || !slices.Equal(names, want) {
				t.Errorf("left %v, %v, want %v", names, err, want)
			}
			if _, err := target.Retain(t.Context(), d, ours, 0); err == nil {
				t.Error("all of them could be removed")
			}
		})
	}
}

// Whoever may only write to a target cannot have the archives there removed by names of the future.
func TestNamesOfTheFutureRemoveNothing(t *testing.T) {
	now := time.Date(2026, 11, 18, 4, 0, 0, 0, time.UTC)
	name := func(at time.Time, n int) string {
		return Name{Host: "gw", Node: "one", At: at, ID: fmt.Sprintf("%08d", n)}.String()
	}
	var objects []Object
	for n := range 3 {
		objects = append(objects, Object{Name: name(now.AddDate(0, 0, -n), n)})
	}
	for n := range 50 {
		objects = append(objects, Object{Name: name(time.Date(2999, 1, 1+n, 0, 0, 0, 0, time.UTC), n)})
	}
	var all []string // ours, all of them: the clock of this node was wrong
	for _, o := range objects {
		all = append(all, o.Name)
	}
	if got, _ := surplus(objects, all, 3, now); len(got) != 0 {
		t.Errorf("removes %v", got)
	}
	if got, _ := surplus(objects, all, 2, now); !slices.Equal(got, []string{objects[2].Name}) {
		t.Errorf("removes %v, want the oldest one alone", got)
	}
}

// What was just put stays, even if names of the next minutes make it the oldest.
func TestWhatWasJustPutStays(t *testing.T) {
	o := newObjects(t, s3test.Options{})
	d := wires{storeAddr: o.wire}.deps()
	now := time.Now()
	var names []string
	for n := range 3 {
		names = append(names, Name{Host: "gw", Node: "one", At: now.Add(time.Duration(n) * time.Minute), ID: fmt.Sprintf("%08d", n)}.String())
		if _, err := o.target().Put(t.Context(), d, names[n], 10, archive{1}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := o.target().Retain(t.Context(), d, names, 1, names[0])
	if err != nil || !slices.Equal(got.Removed, names[1:2]) {
		t.Errorf("removed %v, %v, want %v", got.Removed, err, names[1:2])
	}
}

// Nor by names of today: what this node did not put there is neither counted nor removed.
func TestForgedNamesRemoveNothing(t *testing.T) {
	now := time.Date(2026, 11, 18, 4, 0, 0, 0, time.UTC)
	var objects []Object
	var ours []string
	for n := range 3 {
		ours = append(ours, Name{Host: "gw", Node: "one", At: now.AddDate(0, 0, -9-n), ID: fmt.Sprintf("%08d", n)}.String())
		objects = append(objects, Object{Name: ours[n]})
	}
	for n := range 50 {
		objects = append(objects, Object{Name: Name{Host: "gw", Node: "one", At: now.Add(-time.Duration(n) * time.Hour), ID: "00000000"}.String()})
	}
	old, seen := surplus(objects, ours, 3, now)
	if len(old) != 0 || seen.Foreign != 50 {
		t.Errorf("removes %v, found %+v", old, seen)
	}
}

func TestANameSaysWhoseAndOfWhen(t *testing.T) {
	at := time.Date(2026, 11, 18, 1, 58, 0, 0, time.UTC)
	n := Name{Host: "gw_1.example org/..", Node: "9c0e", At: at, ID: "5f"}
	const want = "gw-1-example-org_9c0e_20261118T015800Z_5f.gwb"
	if got := n.String(); got != want || !fileName.MatchString(got) {
		t.Errorf("name = %q, want %q", got, want)
	}
	back, ok := ParseName(want)
	if !ok || back.Node != n.Node || back.ID != n.ID || !back.At.Equal(at) {
		t.Errorf("read as %+v, %t", back, ok)
	}
	for _, text := range []string{"", "x.gwb", "a_b_c_d.gwb", strings.TrimSuffix(want, suffix), "a__20261118T015800Z_5f.gwb"} {
		if _, ok := ParseName(text); ok {
			t.Errorf("%q was taken for a name", text)
		}
	}
}

func TestAnObjectHasAPlainName(t *testing.T) {
	for _, name := range []string{"", "..", "../x", "a/b", ".hidden", "a b", "a\n"} {
		if _, err := (Target{Kind: KindS3, S3: &S3{}}).Put(t.Context(), Deps{}, name, 1, archive{1}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}
