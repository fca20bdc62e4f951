package wireguard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/tools/bar"
)

// The other end of a tunnel moves while it is up, and its name with it. The name is looked up
// by who has a network, as often as the job does it.
func TestBarNetwork10Endpoint(t *testing.T) {
	bar.NotShort(t)
	const name = "vpn.example.com"
	r := newRig(t, nil)
	far := beyond(r)
	c, p, k := provider(r, far, "10.9.0.1/32")
	p.Endpoint = name + ":51820"
	r.background()
	if err := r.try(one(c, p), k); err != nil {
		t.Fatal(err)
	}
	if asked := r.endpoints(nil); !slices.Equal(asked, []string{name}) {
		t.Errorf("asked for %q at first", asked)
	}
	r.endpoints(wireguard.Found{name: {"192.0.2.254"}, "other.example.com": {"192.0.2.9"}})
	send := sender(t, r, "10.9.0.1:9") // to whom the kernel there answers that nobody listens
	heard := func() int64 { return r.report().Peers[0].Rx }
	eventually(t, 15*time.Second, "through", func() bool { send(); return heard() > 500 })
	if asked := r.endpoints(nil); len(asked) > 0 {
		t.Errorf("asked for %q while it answers", asked)
	}
	// It begins anew elsewhere, and does not know where we are.
	was := far.now
	far.become(wireguard.Config{}, wireguard.Keys{})
	far.ip("addr del 192.0.2.254/24 dev e1")
	far.ip("addr add 192.0.2.253/24 dev e1")
	if err := far.Apply(t.Context(), far.now, was); err != nil {
		t.Fatal(err)
	}
	moved, looked, asked := time.Now(), time.Now(), time.Duration(0)
	before, lost := heard(), false
	eventually(t, 60*time.Second, "through again", func() bool {
		send()
		lost = lost || r.report().Peers[0].Lost
		if time.Since(looked) > wireguard.LookUpEvery {
			if looked = time.Now(); len(r.endpoints(nil)) > 0 {
				asked = time.Since(moved)
				r.endpoints(wireguard.Found{name: {"192.0.2.253"}})
			}
		}
		return heard() > before+200
	})
	took := time.Since(moved)
	eventually(t, 15*time.Second, "known to answer", func() bool { return !r.report().Peers[0].Lost })
	if !lost {
		t.Error("the peer is not said to be lost while it does not answer")
	}
	if got := r.report().Peers[0].Endpoint; got != "192.0.2.253:51820" || asked < 12*time.Second {
		t.Errorf("it is dialled at %s, asked for after %s", got, asked)
	}
	bar.ReportTimed(t, "network", 10, fmt.Sprintf("the name asked for %s after the move, traffic again after %s", asked.Round(100*time.Millisecond), took.Round(100*time.Millisecond)),
		"≤ 30 s", !t.Failed(), took <= 30*time.Second)
}

// A name with several addresses does not make a tunnel wander, but one that does not answer
// makes room for the next.
func TestTheNextAddressOfANameIsTried(t *testing.T) {
	r := newRig(t, nil)
	far := beyond(r)
	c, p, k := provider(r, far, "10.9.0.1/32")
	p.Endpoint = "vpn.example.com:51820"
	if err := r.try(one(c, p), k); err != nil {
		t.Fatal(err)
	}
	if !r.report().Peers[0].Unresolved {
		t.Error("a peer whose name nobody looked up is not said to be unresolved")
	}
	for _, addrs := range [][]string{{"203.0.113.10", "203.0.113.9"}, {"203.0.113.9", "203.0.113.10"}} {
		r.endpoints(wireguard.Found{"vpn.example.com": addrs})
		if got := r.report().Peers[0].Endpoint; got != "203.0.113.10:51820" {
			t.Errorf("%q: dialled at %s", addrs, got)
		}
	}
	if r.report().Peers[0].Unresolved {
		t.Error("a peer that is dialled is said to be unresolved")
	}
	r.endpoints(wireguard.Found{"vpn.example.com": {"203.0.113.9"}})
	if got := r.report().Peers[0].Endpoint; got != "203.0.113.9:51820" {
		t.Errorf("the name leads elsewhere: dialled at %s", got)
	}
}

// sender sends a packet whenever it is called.
func sender(t *testing.T, r *rig, to string) func() {
	t.Helper()
	var c net.Conn
	err := r.space.Do(func() (err error) {
		c, err = net.Dial("udp4", to)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return func() { _, _ = c.Write([]byte("hello")) } // nobody need be there
}

// Where a peer was seen last is not set back by changes that have nothing to do with it.
func TestAPeerMayRoam(t *testing.T) {
	r := newRig(t, nil)
	w, k, key := server(t, 51820, "10.8.0.1/24")
	phone := wireguardtest.NewKey(t)
	p := peer(t, phone, "10.8.0.2/32")
	p.Endpoint = "127.0.0.1:9"
	r.become(one(w, p), k)
	client := wireguardtest.NewClient(t, r.space, phone, netip.MustParseAddr("10.8.0.2"), key.PublicKey(), [32]byte{}, loopback(51820))
	if !client.Reach(netip.MustParseAddr("10.8.0.1"), 5*time.Second) {
		t.Fatal("the client does not get through")
	}
	seen := r.report().Peers[0].Endpoint
	r.become(one(w, p, peer(t, wireguardtest.NewKey(t), "10.8.0.3/32")), k)
	for _, s := range r.report().Peers {
		if s.PublicKey == p.PublicKey && s.Endpoint != seen || seen == p.Endpoint {
			t.Errorf("dialled at %s, seen at %s", s.Endpoint, seen)
		}
	}
	p.Endpoint = "127.0.0.1:10"
	r.become(one(w, p), k)
	if got := r.report().Peers[0].Endpoint; got != p.Endpoint {
		t.Errorf("another endpoint was configured, and it is dialled at %s", got)
	}
}

func TestNamesAreLookedUpForWhoHasNoNetwork(t *testing.T) {
	want, told := []string{"a.example.com", "b.example.com"}, ""
	call := func(_ context.Context, verb string, in, out any) error {
		if found := in.(wireguard.Found); len(found) > 0 {
			text, err := json.Marshal(found)
			told = verb + " " + string(text)
			return err
		}
		out.(*wireguard.Wanted).Names = want
		return nil
	}
	var asked atomic.Int32
	look := func(_ context.Context, host string) ([]string, error) {
		asked.Add(1)
		if host == "b.example.com" {
			return nil, errors.New("no such name")
		}
		return []string{"192.0.2.7"}, nil
	}
	err := wireguard.LookUp(t.Context(), call, look)
	if err == nil || !strings.Contains(err.Error(), "b.example.com") || told != `endpoints {"a.example.com":["192.0.2.7"]}` {
		t.Errorf("told %s, %v", told, err)
	}
	want = nil
	if err := wireguard.LookUp(t.Context(), call, look); err != nil || asked.Load() != 2 {
		t.Errorf("with nothing to do: %d asked, %v", asked.Load(), err)
	}
}

func TestWhatIsReadOfOperators(t *testing.T) {
	for in, want := range map[string]string{
		"10.8.0.1/24": "[10.8.0.1/24]", " 10.8.0.1/24 , fd08::1/64": "[10.8.0.1/24 fd08::1/64]",
		"": "!", "10.8.0.1": "!", "10.8.0.1/33": "!", "10.8.0.1/24,10.9.0.1/24": "!", "10.8.0.1/24,": "!", "127.0.0.1/8": "!", "0.0.0.0/0": "!", "fe80::1%eth0/64": "!",
	} {
		got, err := wireguard.ParseAddresses(in)
		check(t, in, want, fmt.Sprint(got), err)
	}
	for in, want := range map[string]string{
		"vpn.example.com:51820": "vpn.example.com:51820", "[2001:db8::1]:1": "[2001:db8::1]:1", " 192.0.2.1:2 ": "192.0.2.1:2", "VPN.example.com.:7": "vpn.example.com:7",
		"": "!", "vpn.example.com": "!", "vpn.example.com:0": "!", "a:65536": "!", "2001:db8::1:7": "!", "a b:7": "!", "0.0.0.0:7": "!", "x:y:7": "!", ":7": "!",
	} {
		got, err := wireguard.ParseEndpoint(in)
		check(t, in, want, got.String(), err)
	}
	key := wireguardtest.NewKey(t).String()
	for in, want := range map[string]string{key: key, key + "\n": key, key[:43]: "!", key + "A": "!", "": "!", strings.Repeat("A", 43) + "=": "!", key[:42] + "\n=": "!"} {
		got, err := wireguard.ParseKey(in)
		check(t, in, want, got.String(), err)
	}
	allowed, err := wireguard.ParseAllowed([]string{"10.8.0.2", "10.9.1.2/16", "::/0", "10.8.0.2/32"})
	check(t, "networks", "[10.8.0.2/32 10.9.0.0/16 ::/0]", fmt.Sprint(allowed), err)
}

func check(t *testing.T, in, want, got string, err error) {
	t.Helper()
	if (want == "!") != (err != nil) || err == nil && got != want {
		t.Errorf("%q is %q, %v; want %q", in, got, err, want)
	}
}
