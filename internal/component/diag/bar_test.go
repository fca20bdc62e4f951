package diag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/diag/probe"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/tools/bar"
)

// node is one whose own addresses are two of the documentation's; names lead where they say.
type node struct{}

var ownAddresses = []string{"198.51.100.7", "2001:db8::7"}

func (node) Interfaces() ([]sys.Interface, error) {
	link := sys.Interface{Name: "wan", MTU: 1500}
	for _, a := range ownAddresses {
		link.AddrInfo = append(link.AddrInfo, sys.Address{Local: a})
	}
	return []sys.Interface{link}, nil
}

func (node) Route(netip.Addr) (sys.Route, error) { return sys.Route{Interface: "wan", MTU: 1500}, nil }

// led is where a name leads: "to-" and the address, with dashes for its dots and colons.
func led(a string) string {
	return "to-" + strings.NewReplacer(".", "-", ":", "x").Replace(a) + ".example.com"
}

// whole is a node with both of its halves: what the API takes, gateway-scheduler's part answers.
type whole struct {
	*componenttest.Rig
	asked   atomic.Int32
	answers map[string]func(context.Context, json.RawMessage) (any, error)
}

func (w *whole) Ask(ctx context.Context, channel string, in, out any) error {
	w.asked.Add(1)
	question, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := w.answers[channel](ctx, question)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer)
	if err != nil || len(text) > 8000 {
		return fmt.Errorf("an answer of %d bytes: %w", len(text), err)
	}
	return json.Unmarshal(text, out)
}

func newWhole(t *testing.T, lookup func(context.Context, string) ([]netip.Addr, error)) *whole {
	w := &whole{}
	w.Rig = componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		c := New(Options{Run: r.Run, Questions: w, Host: node{}, Lookup: lookup})
		w.answers = c.Answers
		return c
	}})
	return w
}

// forbidden are the addresses that no tool may connect to, in the ways in which they can be written.
func forbidden() []string {
	return append([]string{
		"127.0.0.1", "127.0.0.53", "127.255.255.254", "0.0.0.0", "169.254.169.254", "224.0.0.1", "239.255.255.255", "255.255.255.255",
		"::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "fe80::1", "ff02::1", "0:0:0:0:0:0:0:1", "::ffff:198.51.100.7",
	}, ownAddresses...)
}

// trap is a server at every address of loopback, which counts who comes.
func trap(t *testing.T) (port int, came *atomic.Int32) {
	t.Helper()
	came = &atomic.Int32{}
	l, err := net.Listen("tcp", ":0") // of both families: 0.0.0.0 and :: lead here too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came.Add(1)
			c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, came
}

// reach tries every forbidden address, by itself and by a name, with every tool that connects. It
// counts what was not refused.
func (w *whole) reach(t *testing.T, port int) (tries, taken int) {
	t.Helper()
	refused := func(tool string, body object) {
		tries++
		got := w.Do("POST", "/diagnostics/"+tool, body)
		if got.Status == http.StatusBadRequest && got.Complaint("target") != "" {
			return
		}
		said := string(got.Want(http.StatusOK).Data)
		if !strings.Contains(said, "cannot be used as a server") || strings.Contains(said, `"exit_status":0`) || strings.Contains(said, `"ok":true`) {
			taken++
			t.Errorf("%s %v: %.300s", tool, body, said)
		}
	}
	for _, a := range forbidden() {
		host := a
		if strings.Contains(a, ":") {
			host = "[" + a + "]"
		}
		refused("tcp", object{"target": a, "port": port})
		refused("curl", object{"target": fmt.Sprintf("http://%s:%d/", host, port)})
		refused("path", object{"target": a, "port": port, "tls": true})
		refused("path", object{"target": led(a), "port": port})
	}
	for _, name := range []string{"localhost", "LOCALHOST", "localhost.localdomain", "ip6-localhost"} {
		if all, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", name); err != nil || len(all) == 0 {
			continue // this machine has no such name
		}
		refused("tcp", object{"target": name, "port": port})
		refused("curl", object{"target": fmt.Sprintf("http://%s:%d/", name, port)})
	}
	return tries, taken
}

// options are what a program would take for something else than a target.
func options() []string {
	return []string{
		"-f/etc/hostname", "-k/etc/hostname", "--help", "-h", "-", "--", "-oProxyCommand", "-w/tmp/x", "-I127.0.0.1", "@127.0.0.1", "+trace", "-x127.0.0.1", "-T0", "-1",
		"file:///etc/hostname", "gopher://example.com/", "dict://example.com/", "ftp://example.com/", "ldap://example.com/", "scp://example.com/a", "http:-f", "http://-f/", "https://--help/",
		"example.com -f", "example.com\n-f", "example.com;id", "$(id)", "`id`", "|id", "&id", ">a", "http://a@127.0.0.1/", "http://example.com:-1/", "http://example.com\\@127.0.0.1/",
	}
}

// inject sends options to every tool; they must end at the API.
func (w *whole) inject(t *testing.T) (tries, taken int) {
	t.Helper()
	before := w.asked.Load()
	for _, option := range options() {
		for tool := range probe.Limits() {
			tries++
			if got := w.Do("POST", "/diagnostics/"+tool, bodyOf(tool, option)); got.Status != http.StatusBadRequest || got.Complaint("target") == "" {
				taken++
				t.Errorf("%s %q: %d %+v", tool, option, got.Status, got.Error)
			}
		}
		tries++
		if got := w.Do("POST", "/diagnostics/dig", object{"target": "example.com", "type": option}); got.Status != http.StatusBadRequest {
			t.Errorf("dig for %q: %d", option, got.Status)
			taken++
		}
	}
	return tries, taken + int(w.asked.Load()-before)
}

// pieces are what hostile strings are made of.
func pieces() []string {
	return []string{
		"a", "Z", "9", ".", ":", "/", "_", "-", "..", "//", "://", "http://", "https://", "HTTP://", "file://", "example.com", "192.0.2.1", "2001:db8::1", "[::1]", "127.0.0.1",
		"@", "?", "#", "%", "%00", "%2e", "&", ";", "|", "$", "`", "(", ")", "<", ">", "\"", "'", "\\", " ", "\t", "\n", "\r", "\x00", "\x1b[2J", "\x7f", "\u202e", "\u00e4", "\u3002", "\xff", "\xc0\xaf",
		"-f", "--", "+x", "*", "~", "^", "=", "{", "}", ",", "!", strings.Repeat("a", 64), strings.Repeat("1.", 130), "xn--", "0x7f", "0177", "1e3", "%eth0", ":99999", ":0", ":443", "localhost",
	}
}

var (
	characters = regexp.MustCompile(`^[A-Za-z0-9.:/_-]+$`)
	hostName   = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$`)
)

// judge says whether a target is one, by rules that are not the product's own.
func judge(tool, target string) error {
	host := target
	switch tool {
	case "dig":
		if _, err := netip.ParseAddr(target); err != nil && (strings.Contains(target, ":") || target[0] == '-' || len(target) > 254) {
			return errors.New("no name")
		}
		return nil
	case "curl":
		u, err := url.Parse(target)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Opaque != "" {
			return errors.New("no URL of http or https")
		}
		host = u.Hostname()
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" || a.IsUnspecified() || a.IsMulticast() {
			return errors.New("no address of a host")
		}
		return nil
	}
	if len(host) > 254 || !hostName.MatchString(strings.ToLower(host)) {
		return errors.New("no name of a host")
	}
	return nil
}

// fuzz hands hostile strings to what judges targets. It counts those that were taken, and those of
// them that are none.
func fuzz(t *testing.T, size int) (taken, wrong int) {
	t.Helper()
	const seed = 11
	r, words := rand.New(rand.NewPCG(seed, seed)), pieces()
	tools := map[string]func(string) (string, error){
		"ping": func(s string) (string, error) { q, err := TargetInput{s}.question("ping"); return q.Target, err },
		"dig":  func(s string) (string, error) { q, err := DigInput{s, "A"}.question(); return q.Target, err },
		"curl": func(s string) (string, error) { q, err := URLInput{s}.question(); return q.Target, err },
		"tcp":  func(s string) (string, error) { q, err := TCPInput{s, 1}.question(); return q.Target, err },
		"path": func(s string) (string, error) {
			q, err := PathInput{Target: s, Port: 1}.question()
			return q.Target, err
		},
	}
	for range size {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(words[r.IntN(len(words))])
		}
		for tool, question := range tools {
			target, err := question(b.String())
			if err != nil {
				continue
			}
			taken++
			if err := judge(tool, target); err != nil || !characters.MatchString(b.String()) {
				wrong++
				t.Errorf("%s took %q as %q: %v (seed %d)", tool, b.String(), target, err, seed)
			}
		}
	}
	return taken, wrong
}

// silence is a network in which nobody answers.
func silence(t *testing.T) *lab.Space {
	t.Helper()
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "nobody", MTU: 1500}, PeerName: "end"}
		if err := netlink.LinkAdd(link); err != nil {
			return err
		}
		end, err := netlink.LinkByName("end")
		if err != nil {
			return err
		}
		// The one whom all is sent to is known, and is not there.
		mac := net.HardwareAddr{2, 0, 0, 0, 0, 9}
		return errors.Join(
			netlink.LinkSetUp(link), netlink.LinkSetUp(end),
			netlink.AddrAdd(link, &netlink.Addr{IPNet: &net.IPNet{IP: net.IPv4(192, 0, 2, 2), Mask: net.CIDRMask(24, 32)}}),
			netlink.NeighSet(&netlink.Neigh{LinkIndex: link.Attrs().Index, IP: net.IPv4(192, 0, 2, 1), HardwareAddr: mac, State: netlink.NUD_PERMANENT}),
			os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 0"), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// hung is a tool whose other side never answers.
type hung struct {
	name string
	run  func(ctx context.Context, tools probe.Tools)
}

func ask1(q probe.Question) func(context.Context, probe.Tools) {
	return func(ctx context.Context, tools probe.Tools) { tools.Try(ctx, q) }
}

// late runs every tool against silence, all at once, and counts those that did not end at their
// limit. At the gate traceroute is given less, and must end at that.
func late(t *testing.T) (tools, past int, slowest time.Duration, left int) {
	t.Helper()
	space := silence(t)
	mute, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	never := probe.Tools{
		Own:      func() ([]netip.Addr, error) { return nil, nil },
		Lookup:   func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() },
		Resolver: func() (string, error) { return mute.LocalAddr().String(), nil },
		Dial: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			err = space.Do(func() error { conn, err = (&net.Dialer{}).DialContext(ctx, network, address); return err })
			return conn, err
		},
		Ways: probe.Ways{To: func(context.Context, netip.Addr) (probe.Way, error) {
			return probe.Way{Interface: "nobody", MTU: 1500}, nil
		}},
	}
	const gone = "192.0.2.1"
	list := []hung{
		{"ping", ask1(probe.Question{Tool: "ping", Target: gone})},
		{"ping", ask1(probe.Question{Tool: "ping", Target: "silent.example.com"})},
		{"mtu", ask1(probe.Question{Tool: "mtu", Target: gone})},
		{"traceroute", ask1(probe.Question{Tool: "traceroute", Target: gone})},
		{"dig", ask1(probe.Question{Tool: "dig", Target: "example.com", Type: "A"})},
		{"curl", ask1(probe.Question{Tool: "curl", Target: "http://" + gone + "/"})},
		{"tcp", ask1(probe.Question{Tool: "tcp", Target: gone, Port: 443})},
		{"path", func(ctx context.Context, tools probe.Tools) {
			tools.Path(ctx, probe.PathQuestion{Target: gone, Port: 443})
		}},
		{"path", func(ctx context.Context, tools probe.Tools) {
			tools.Path(ctx, probe.PathQuestion{Target: "silent.example.com", Port: 443, TLS: true})
		}},
	}
	open := descriptors(t)
	goroutines := runtime.NumGoroutine()
	took := make(chan time.Duration, len(list)) // beyond the limit where it is above zero
	for _, one := range list {
		go func() {
			limit := probe.Limits()[one.name]
			ctx := t.Context()
			if one.name == "traceroute" && bar.GateSize(0, 1, 1) == 0 {
				limit = 5 * time.Second
				short, cancel := context.WithTimeout(ctx, limit)
				defer cancel()
				ctx = short
			}
			start := time.Now()
			_ = space.Do(func() error { one.run(ctx, never); return nil })
			end := time.Since(start)
			took <- end - limit
		}()
	}
	slowest = -time.Hour
	for range list {
		over := <-took
		slowest = max(slowest, over)
		if over > time.Second { // for the machine, which is busy
			past++
		}
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if left = max(0, runtime.NumGoroutine()-goroutines) + max(0, descriptors(t)-open); left == 0 {
			break
		}
	}
	if left > 0 {
		stacks := make([]byte, 1<<20)
		t.Logf("%d descriptors, %d before; goroutines:\n%s", descriptors(t), open, stacks[:runtime.Stack(stacks, true)])
	}
	return len(list), past, slowest, left
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// Diagnostics reach what an operator names, and that is all that they can be made to do.
func TestBarOperations11Diagnostics(t *testing.T) {
	port, came := trap(t)
	w := newWhole(t, func(_ context.Context, name string) ([]netip.Addr, error) {
		for _, a := range forbidden() {
			if led(a) == name {
				return []netip.Addr{netip.MustParseAddr(a)}, nil
			}
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	})
	tries, reached := w.reach(t, port)
	connections := came.Load()
	injected, obeyed := w.inject(t)
	size := bar.GateSize(10_000, 100_000, 1_000_000)
	taken, wrong := fuzz(t, size)
	tools, past, slowest, left := late(t)
	captured := captures(t)

	// The control: the trap counts, and a target is taken.
	control := (probe.Tools{Dial: (&net.Dialer{}).DialContext}).Try(t.Context(), probe.Question{Tool: "tcp", Target: "127.0.0.1", Port: port})
	for end := time.Now().Add(5 * time.Second); came.Load() == connections && time.Now().Before(end); <-time.After(5 * time.Millisecond) {
	}
	counts := control.ExitStatus == probe.Answered && came.Load() == connections+1 && taken > 0

	figure := fmt.Sprintf("%d tries at %d forbidden targets: %d not refused, %d connections; %d options: %d taken; %d hostile strings: %d of %d taken are no target; %d of %d tools past their limit (the latest at %+.1f s of it), %d goroutines or descriptors left; %s; control, a target is taken and the trap counts: %t",
		tries, len(forbidden()), reached, connections, injected, obeyed, size, wrong, taken, past, tools, slowest.Seconds(), left, captured, counts)
	bar.ReportTimed(t, "operations", 11, figure, "0 not refused, 0 connections, 0 taken, 0 past their limit, 0 left, no capture beyond its size, the controls hold",
		reached == 0 && connections == 0 && obeyed == 0 && wrong == 0 && left == 0 && counts && captured.good(), past == 0)
}
