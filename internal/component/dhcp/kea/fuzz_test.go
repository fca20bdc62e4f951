package kea

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/componenttest"
	"gateway/tools/bar"
)

// texts are what somebody may write into a field, or into a row past the API.
var texts = []string{
	"", "eth1", "eth2", "192.0.2.0/24", "10.0.0.0/8", "192.0.2.1", "192.0.2.5-192.0.2.9", "192.0.2.200-192.0.2.100", "192.0.2.7", "lan.example.com", "printer", "02:00:5e:00:53:01",
	"02-00-5E-00-53-02", "ff:ff:ff:ff:ff:ff", "01:02:03", "0x6162", "1400", "-1", "999999999999", "a b", "a\nb", "\x00", "\u2028", "\u202e", "é", `"`, `\`, `\"`,
	`", "hooks-libraries": [{"library": "/tmp/canary.so"}], "x": "`, "x\"}], \"canary\": 1, \"y\": [{\"z\": \"", "<?include \"/etc/passwd\"?>", "/* */", "# x", "// x", "${HOME}",
	"010.0.0.1", "192.0.2.1/33", "::1", "2001:db8::/64", "127.0.0.1", "224.0.0.1", "255.255.255.255", "0.0.0.0/0", strings.Repeat("a", 300), "-a", "a-", "wpad", "a.b.c",
}

// generator makes rows, half of the time of good values only, else with some bad ones among them: a
// row with one bad value is left out, so that most must be good for the others to be seen.
type generator struct {
	*rand.Rand
	spoil int // in a hundred
}

func (g generator) bad() bool { return g.IntN(100) < g.spoil }

func (g generator) pick(good ...string) string {
	if g.bad() {
		return texts[g.IntN(len(texts))]
	}
	return good[g.IntN(len(good))]
}

// some is each of the good ones, or not.
func (g generator) some(good ...string) (out []string) {
	for _, text := range good {
		if g.IntN(2) == 0 {
			out = append(out, g.pick(text))
		}
	}
	return out
}

func (g generator) options() (out []string) {
	for _, good := range []string{"66 text boot.example.com", `67 text a "b" \, c`, "150 addresses 192.0.2.7, 192.0.2.8", "224 hex 00:ff", "26 number16 1400", "23 number8 64", "2 number32 3600"} {
		if g.IntN(3) > 0 {
			continue
		}
		words := strings.SplitN(good, " ", 3)
		if g.bad() {
			words[0] = g.pick("3", "53", "0", "300")
		}
		out = append(out, words[0]+" "+g.pick(words[1])+" "+g.pick(words[2]))
	}
	return out
}

func (g generator) leaseTime() int {
	if g.bad() {
		return []int{0, -5, 59, 1 << 40}[g.IntN(4)]
	}
	return []int{600, 86400, 60}[g.IntN(3)]
}

func fuzzed(r *rand.Rand) State {
	g := generator{r, max(0, r.IntN(40)-20)}
	s := full()
	s.Subnets, s.Reservations = nil, nil
	s.Settings = Settings{Enabled: pointer(g.IntN(2) == 0), Authoritative: pointer(g.IntN(2) == 0)}
	for i := range g.IntN(4) {
		base := fmt.Sprintf("10.%d.0.", i)
		if g.IntN(4) == 0 {
			base = "192.0.2." // where this node has an address
		}
		s.Subnets = append(s.Subnets, StoredSubnet{fmt.Sprint(i), Subnet{
			Interface: g.pick("eth1", "eth2"), Network: g.pick(base + "0/24"), Pools: g.some(base+"10-"+base+"20", base+"40", base+"95-"+base+"105"), Gateway: g.pick(base+"1", ""),
			DNSServers: g.some("9.9.9.9", base+"1"), NTPServers: g.some(base + "2"), Domain: g.pick("lan.example.com", "b.example.net"), DNSNames: g.IntN(2) == 0,
			LeaseTime: g.leaseTime(), Options: g.options(), Active: pointer(g.IntN(5) > 0),
		}})
		for j := range g.IntN(4) {
			res := Reservation{Address: g.pick(fmt.Sprintf("%s%d", base, 60+j)), Hostname: g.pick("", fmt.Sprintf("h%d", j))}
			if g.IntN(2) == 0 {
				res.MAC = g.pick(fmt.Sprintf("02:00:00:00:%02x:%02x", i, j))
			} else {
				res.ClientID = g.pick(fmt.Sprintf("00:%02x:%02x", i, j))
			}
			s.Reservations = append(s.Reservations, StoredReservation{fmt.Sprint(i), res})
		}
	}
	return s
}

// Whatever rows there are, Kea takes the file, and an independent reader finds in it what the good
// ones of them say, each value in its place, and nothing else. Without escaping, it finds more.
//
// shows T22
func TestBarServices02Kea(t *testing.T) {
	bar.NotShort(t)
	n, every := bar.GateSize(500, 500, 20000), bar.GateSize(10, 1, 1) // it takes a process each
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	check := New(Options{Exec: componenttest.Exec(t)}).Config
	good, broken, checked, values := 0, 0, 0, 0
	for i := range n {
		s := fuzzed(random)
		want := s.meant()
		r := mustRender(t, s)
		got, err := readBack(r)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("seed %d: the file says something else (-rows +file): %v\n%s\n%#v", seed, err, diff, s)
		}
		values += len(got)
		if i%every == 0 {
			checked++
			if err := componenttest.Check(t, check, r); err != nil {
				t.Fatalf("seed %d: refused by Kea: %v\n%s", seed, err, r.File(ConfFile))
			}
		}
		if s.breaksOut() {
			broken++
		}
		if len(r.Problems) == 0 {
			good++
		}
	}
	t.Logf("seed %d", seed)
	figure := fmt.Sprintf("Kea: %d configurations, %d of them taken whole, %d values, 0 bad, %d checked by kea-dhcp4 -t; without escaping %d broke out", n, good, values, checked, broken)
	bar.Report(t, "services", 2, figure, fmt.Sprintf("0 bad of %d; control breaks out", n), good > 0 && good < n && broken > 0 && values > 10*n)
}

// breaksOut writes the values as they are, and reports whether the file then has settings that
// nobody wrote, or is none any more.
func (s State) breaksOut() bool {
	for _, sub := range s.Subnets {
		text := fmt.Sprintf(`{"subnet": "%s", "interface": "%s", "domain": "%s"}`, sub.Network, sub.Interface, sub.Domain)
		var read map[string]any
		if err := json.Unmarshal([]byte(text), &read); err != nil || len(read) != 3 {
			return true
		}
	}
	return false
}
