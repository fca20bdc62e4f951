package haproxyconf

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
)

// id is one that tells in a golden what it is of.
func id(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }

// number is that of a section whose number no other came out with.
func number(id string) string { return (&rendering{numbers: map[uint32]bool{}}).number(id) }

func ptr[T any](v T) *T { return &v }

func web(n int) pool {
	return pool{ID: id(n), Name: fmt.Sprintf("web %d", n), Scheme: "http", Algorithm: "roundrobin", Active: true, Path: "/", Interval: 5}
}

func domain(n int, name string, backend int) site {
	return site{ID: id(n), Name: name, BackendID: ptr(id(backend)), HTTPS: true, WWW: "off"}
}

func at(backend int, name, address string) member {
	return member{BackendID: id(backend), Name: name, Address: address, Port: 8080, Weight: 100, Active: true}
}

func members(all ...member) map[string][]member {
	by := map[string][]member{}
	for _, m := range all {
		by[m.BackendID] = append(by[m.BackendID], m)
	}
	return by
}

func everything() state {
	secure := web(12)
	secure.Scheme, secure.Checks, secure.Verify, secure.TLSName, secure.Status = "https", true, true, "origin.example.com", 204
	forced := web(13)
	forced.Scheme, forced.ForceHTTP1, forced.Websocket, forced.Sticky, forced.Algorithm = "https", true, true, true, "leastconn"
	off := web(14)
	off.Active = false
	mail := web(15)
	mail.Scheme, mail.Algorithm, mail.Checks = "tcp", "source", true
	shop, wild := domain(21, "shop.example.com", 11), domain(22, "*.apps.example.com", 13)
	shop.HSTS, shop.Subdomains, shop.RateLimit, shop.MaxBody, shop.WWW = 31536000, true, 100, 1<<20, "to_apex"
	wild.DisableH3, wild.HTTPS, wild.AllowFrom = true, false, []string{"10.0.0.0/8", "2001:db8::/32"}
	closed := domain(23, "closed.example.com", 14)
	closed.Maintenance, closed.AllowFrom = true, []string{"10.1.0.0/16"}
	resting := at(11, "b_example", "192.0.2.12")
	resting.Active, resting.Backup = false, true
	draining := at(12, "one", "2001:db8::1")
	draining.Drain = true
	return state{
		ipv6: true, backends: []pool{web(11), secure, forced, off, mail},
		servers: members(at(11, "a", "192.0.2.11"), resting, draining, at(13, "named", "origin.example.net"), at(15, "imap", "192.0.2.25")),
		domains: []site{wild, closed, shop},
		headers: []field{{id(21), "X-Frame-Options", "DENY"}, {id(22), "x-frame-options", "SAMEORIGIN"}, {id(21), "X-Note", `it's 100% $HOME "q" #x; \ %[env(HOME)]`}},
		users:   []login{{id(22), Digest(id(22), "ann", "correct horse")}},
		rules:   []route{{id(21), "/api/v1", id(12)}, {id(21), "/api", id(13)}, {id(21), "/api/v2", id(11)}, {id(21), "/it's", id(14)}},
		ports:   []service{{ID: id(31), Name: "imap", BackendID: id(15), Port: 993, AllowFrom: []string{"10.0.0.0/8"}}, {ID: id(32), Name: "off", BackendID: id(14), Port: 994}},
	}
}

// hostile is what a restore could bring in past the API.
func hostile() state {
	evil := web(12)
	evil.TLSName = "a) if TRUE"
	return state{
		backends: []pool{web(11), evil},
		servers:  members(at(11, "good", "192.0.2.11"), at(11, "bad name\n", "192.0.2.12"), at(11, "socket", "/run/haproxy/admin.sock"), at(11, "more", "127.0.0.1:80 source 0.0.0.0")),
		domains:  []site{domain(21, "good.example.com", 11), domain(22, "-f /etc/passwd", 11), domain(23, "bad.example.com\nother.example.com", 11), domain(24, "broken.example.com", 12)},
		headers:  []field{{id(21), "X-Good", "yes"}, {id(21), "X-Evil", "a\r\nSet-Cookie: b"}, {id(21), "a if TRUE", "b"}, {id(21), "Connection", "close"}},
		users:    []login{{id(21), "not a digest\n"}},
		rules:    []route{{id(21), "/good", id(11)}, {id(21), "/bad path", id(11)}},
		ports:    []service{{ID: id(31), Name: "taken", BackendID: id(11), Port: 3443}},
	}
}

// The management's X-Forwarded-Proto is in each of them.
//
// shows PROXY-01, PROXY-10, PROXY-11, PROXY-12, PROXY-16
func TestGoldens(t *testing.T) {
	a := newAdapter(Options{Exec: componenttest.ExecInRoot(t)})
	for name, s := range map[string]state{
		"empty": {ipv6: true}, "ipv4": {}, "everything": everything(), "hostile": hostile(),
		"one": {backends: []pool{web(11)}, servers: members(at(11, "a", "192.0.2.11")), domains: []site{domain(21, "example.com", 11)}},
	} {
		t.Run(name, func(t *testing.T) {
			out := render(s)
			if err := staged(t, a, out); err != nil {
				t.Error(err)
			}
			for _, f := range out.Files {
				componenttest.Golden(t, filepath.Join("testdata/render", name, filepath.Base(f.Path)), string(f.Data))
			}
			componenttest.Golden(t, filepath.Join("testdata/render", name, "problems"), componenttest.ProblemsText(out))
		})
	}
}

// What the package starts HAProxy with is what it would be given without any site.
func TestThePackageBeginsWithNothing(t *testing.T) {
	componenttest.Golden(t, "../../../../packaging/daemons/proxy/root/usr/lib/gateway/haproxy.cfg", string(render(state{ipv6: true}).File(Path)))
}

// staged has HAProxy judge a rendering.
func staged(t *testing.T, a *adapter, r daemon.Rendering) error {
	t.Helper()
	return componenttest.Check(t, a.daemon().Config, r)
}

// The order in which rows were made does not show.
func TestTheFilesDoNotDependOnTheOrder(t *testing.T) {
	want := render(everything()).Texts()
	for range 100 {
		s := everything()
		rand.Shuffle(len(s.domains), func(i, j int) { s.domains[i], s.domains[j] = s.domains[j], s.domains[i] })
		rand.Shuffle(len(s.headers), func(i, j int) { s.headers[i], s.headers[j] = s.headers[j], s.headers[i] })
		rand.Shuffle(len(s.users), func(i, j int) { s.users[i], s.users[j] = s.users[j], s.users[i] })
		if d := cmp.Diff(render(s).Texts(), want); d != "" {
			t.Fatalf("two orders, two renderings:\n%s", d)
		}
	}
}

// Two maps and the narrowest network say the same as a look at each list.
func TestAllowListsSayWhoMayCome(t *testing.T) {
	nets := rapid.SampledFrom([]string{"0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/32", "10.1.0.0/16", "10.1.2.0/24", "192.0.2.1/32", "::/0", "2001:db8::/32", "2001:db8::1/128", "::1/128"})
	addresses := rapid.SampledFrom([]string{"10.0.0.0", "10.0.0.1", "10.0.1.0", "10.1.2.3", "10.2.0.0", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db9::", "::1", "::2"})
	rapid.Check(t, func(t *rapid.T) {
		s := state{backends: []pool{web(1)}}
		for i := range rapid.IntRange(1, 4).Draw(t, "domains") {
			d := domain(21+i, fmt.Sprintf("d%d.example.com", i), 1)
			d.AllowFrom = rapid.SliceOfNDistinct(nets, 0, 4, rapid.ID).Draw(t, "nets")
			s.domains = append(s.domains, d)
		}
		out, addr := render(s), netip.MustParseAddr(addresses.Draw(t, "address"))
		for _, d := range s.domains {
			want := slices.ContainsFunc(d.AllowFrom, func(n string) bool { return netip.MustParsePrefix(n).Contains(addr) })
			if got := allows(out, d.ID, addr); got != want && len(d.AllowFrom) > 0 {
				t.Fatalf("%v admits %s: %v, want %v", d.AllowFrom, addr, got, want)
			}
		}
	})
}

// A viewer may read the preview, and a digest can be guessed at.
func TestDigestsOfPasswordsAreNotForAPreview(t *testing.T) {
	for _, f := range render(everything()).Files {
		if want := f.Path == loginsMap; f.Confidential() != want {
			t.Errorf("%s is confidential: %t, want %t", f.Path, f.Confidential(), want)
		}
	}
}
