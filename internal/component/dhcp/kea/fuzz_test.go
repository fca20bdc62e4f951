package kea

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/tools/bar"
)

// texts are what somebody may write into a field, or into a row past the API.
var texts = []string{
	"", "eth1", "eth2", "192.0.2.0/24", "10.0.0.0/8", "192.0.2.1", "192.0.2.5-192.0.2.9", "192.0.2.200-192.0.2.100", "192.0.2.7", "lan.example.com", "printer", "02:00:5e:00:53:01",
	"02-00-5E-00-53-02", "ff:ff:ff:ff:ff:ff", "01:02:03", "0x6162", "1400", "-1", "999999999999", "a b", "a\nb", "\x00", "\u2028", "\u202e", "é", `"`, `\`, `\"`,
	`", "hooks-libraries": [{"library": "/tmp/canary.so"}], "x": "`, "x\"}], \"canary\": 1, \"y\": [{\"z\": \"", "<?include \"/etc/passwd\"?>", "/* */", "# x", "// x", "${HOME}",
	"010.0.0.1", "192.0.2.1/33", "::1", "2001:db8::/64", "127.0.0.1", "224.0.0.1", "255.255.255.255", "0.0.0.0/0", strings.Repeat("a", 300), "-a", "a-", "wpad", "a.b.c",
}

func pick(r *rand.Rand, good ...string) string {
	if r.IntN(4) > 0 && len(good) > 0 {
		return good[r.IntN(len(good))]
	}
	return texts[r.IntN(len(texts))]
}

func some(r *rand.Rand, n int, good ...string) (out []string) {
	for range r.IntN(n + 1) {
		out = append(out, pick(r, good...))
	}
	return out
}

func fuzzed(r *rand.Rand) State {
	s := full()
	s.Subnets, s.Reservations = nil, nil
	s.Settings = Settings{Enabled: pointer(r.IntN(2) == 0), Authoritative: pointer(r.IntN(2) == 0)}
	for i := range r.IntN(4) {
		base := fmt.Sprintf("10.%d.0.", i)
		sub := Subnet{
			Interface: pick(r, "eth1", "eth2"), Network: pick(r, base+"0/24"), Pools: some(r, 2, base+"10-"+base+"20", base+"40-"+base+"50"), Gateway: pick(r, base+"1", ""),
			DNSServers: some(r, 2, "9.9.9.9", base+"1"), NTPServers: some(r, 2, base+"2"), Domain: pick(r, "lan.example.com", ""), DNSNames: r.IntN(2) == 0,
			LeaseTime: []int{600, 86400, 60, 0, -5, 1 << 40}[min(r.IntN(12), 5)], Active: pointer(r.IntN(5) > 0),
		}
		for range r.IntN(3) {
			sub.Options = append(sub.Options, fmt.Sprintf("%d %s %s", []int{66, 67, 150, 224, 26, 3, 53, 0, 300}[r.IntN(9)], pick(r, "text", "hex", "addresses", "number16"), pick(r, "boot", "00ff", "192.0.2.7", "7")))
		}
		s.Subnets = append(s.Subnets, StoredSubnet{fmt.Sprint(i), sub})
		for j := range r.IntN(4) {
			res := Reservation{Address: pick(r, fmt.Sprintf("%s%d", base, 60+j)), Hostname: pick(r, "", fmt.Sprintf("h%d", j))}
			if r.IntN(2) == 0 {
				res.MAC = pick(r, fmt.Sprintf("02:00:00:00:%02x:%02x", i, j))
			} else {
				res.ClientID = pick(r, fmt.Sprintf("00:%02x:%02x", i, j))
			}
			s.Reservations = append(s.Reservations, StoredReservation{fmt.Sprint(i), res})
		}
	}
	return s
}

// accepted is what the API does with the rows, one by one; it reports whether all are good.
func (s *State) accepted() bool {
	good := true
	for i := range s.Subnets {
		var p fault.Problems
		s.Subnets[i].Validate(&p, s.Own)
		good = good && p.Err() == nil
	}
	return good
}

// Whatever rows there are, Kea takes the file, and what an independent reader finds in it are
// values of the rows that Kea is meant to have, each in its place, and nothing else.
func TestFuzzedRowsRender(t *testing.T) {
	n := bar.GateSize(300, 500, 20000)
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	check := New(Options{Exec: componenttest.Exec(t)}).Config
	good, broken := 0, 0
	for i := range n {
		s := fuzzed(random)
		r := mustRender(t, s)
		if err := readBack(s, r); err != nil {
			t.Errorf("%v\n%s", err, r.File(ConfFile))
		}
		if i%5 == 0 {
			if err := componenttest.Check(t, check, r); err != nil {
				t.Errorf("kea: %v\n%s", err, r.File(ConfFile))
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %#v", seed, s)
		}
		if breaksOut(s) {
			broken++
		}
		if s.accepted() {
			good++
		}
	}
	t.Logf("seed %d: %d states, %d accepted whole, 0 bad; %d broke out when they were written without escaping", seed, n, good, broken)
	if good == 0 || good == n || broken == 0 {
		t.Errorf("%d of %d accepted, %d broke out: this shows nothing", good, n, broken)
	}
}

// readBack reads the file as any reader of JSON does, without our types.
func readBack(s State, r daemon.Rendering) error {
	_, body, _ := bytes.Cut(r.File(ConfFile), []byte("\n"))
	var doc map[string]map[string]any
	if err := json.Unmarshal(body, &doc); err != nil || len(doc) != 1 {
		return fmt.Errorf("not one object: %w", err)
	}
	top := doc["Dhcp4"]
	if len(top) != 13 || len(top["hooks-libraries"].([]any)) != 1 || len(top["loggers"].([]any)) != 1 {
		return fmt.Errorf("the server has %d settings", len(top))
	}
	seen := map[string]bool{}
	for _, one := range top["subnet4"].([]any) {
		if err := readSubnet(s, one.(map[string]any), seen); err != nil {
			return err
		}
	}
	listen := top["interfaces-config"].(map[string]any)["interfaces"].([]any)
	for _, name := range listen {
		if name != "eth1" && name != "eth2" {
			return fmt.Errorf("it listens on %v", name)
		}
	}
	return nil
}

func readSubnet(s State, sub map[string]any, seen map[string]bool) error {
	network, err := netip.ParsePrefix(sub["subnet"].(string))
	if err != nil || seen[network.String()] || len(sub) != 8 {
		return fmt.Errorf("a subnet %v with %d settings, %w", sub["subnet"], len(sub), err)
	}
	seen[network.String()] = true
	var row *Subnet
	for i := range s.Subnets {
		if p, err := netip.ParsePrefix(s.Subnets[i].Network); err == nil && p.Masked() == network && s.Subnets[i].Interface == sub["interface"] {
			row = &s.Subnets[i].Subnet
		}
	}
	if row == nil || sub["valid-lifetime"].(float64) != float64(row.LeaseTime) || row.LeaseTime <= 0 {
		return fmt.Errorf("no row says %v", sub)
	}
	for _, p := range sub["pools"].([]any) {
		first, last, _ := strings.Cut(p.(map[string]any)["pool"].(string), "-")
		if !network.Contains(netip.MustParseAddr(first)) || !network.Contains(netip.MustParseAddr(last)) {
			return fmt.Errorf("a pool %v", p)
		}
	}
	for _, o := range sub["option-data"].([]any) {
		if err := readOption(o.(map[string]any)); err != nil {
			return err
		}
	}
	for _, one := range sub["reservations"].([]any) {
		res := one.(map[string]any)
		a, err := netip.ParseAddr(res["ip-address"].(string))
		name, named := res["hostname"].(string)
		if err != nil || !network.Contains(a) || named && Label(name) != name || (res["hw-address"] == nil) == (res["client-id"] == nil) {
			return fmt.Errorf("a reservation %v", res)
		}
	}
	return nil
}

// readOption takes text for what is typed already, and else bytes alone.
func readOption(o map[string]any) error {
	data := o["data"].(string)
	switch code := o["code"].(float64); {
	case o["csv-format"] == false:
		if b, err := hex.DecodeString(data); err != nil || len(b) == 0 || len(b) > 255 {
			return fmt.Errorf("an option %v", o)
		}
	case code == 15 && strings.Trim(data, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "":
	case code == 3 || code == 6 || code == 42:
		for a := range strings.SplitSeq(data, ", ") {
			if addr, err := netip.ParseAddr(a); err != nil || !addr.Is4() {
				return fmt.Errorf("an option %v", o)
			}
		}
	default:
		return fmt.Errorf("an option %v", o)
	}
	return nil
}

// breaksOut writes the values as they are, and reports whether the file then has settings that
// nobody wrote, or is none any more.
func breaksOut(s State) bool {
	for _, sub := range s.Subnets {
		text := fmt.Sprintf(`{"subnet": "%s", "interface": "%s", "domain": "%s"}`, sub.Network, sub.Interface, sub.Domain)
		var read map[string]any
		if err := json.Unmarshal([]byte(text), &read); err != nil || len(read) != 3 {
			return true
		}
	}
	return false
}
