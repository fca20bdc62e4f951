package dhcp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/dns/dnstest"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
)

// named is served with the real unbound that answers the names of its clients.
type named struct {
	served
	dns *dnstest.Rig
}

// serveNames has the wires of serve, or others that nothing is declared of yet.
func serveNames(t *testing.T, wires ...map[string]string) named {
	t.Helper()
	names := &hostnames.Registry{}
	dns := dnstest.NewWith(t, "", func(o unbound.Options) daemon.Daemon {
		o.Names, o.Log = names, slog.New(slog.NewTextHandler(t.Output(), nil))
		return unbound.New(o)
	})
	dns.MustSync()
	var s served
	if len(wires) > 0 {
		s = wired(t, names, nil, wires[0])
	} else {
		s = serveWith(t, names)
	}
	for _, d := range []daemon.Daemon{s.Daemon, dns.Daemon} {
		background(t, d)
	}
	return named{s, dns}
}

// background runs what a daemon does beside the rounds, as long as the test runs.
func background(t *testing.T, d daemon.Daemon) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Background(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// answers are what the resolver says to a question.
func (n named) answers(name string, typ uint16) (out []string) {
	n.T.Helper()
	q := new(mdns.Msg)
	q.SetQuestion(mdns.Fqdn(name), typ)
	q.RecursionDesired = false // nobody else is to be asked
	got, _, err := (&mdns.Client{Timeout: time.Second}).Exchange(q, fmt.Sprintf("127.0.0.1:%d", n.dns.Unbound.Port))
	if err != nil {
		return []string{err.Error()}
	}
	for _, rr := range got.Answer {
		out = append(out, strings.TrimPrefix(rr.String(), rr.Header().String()))
	}
	return out
}

// within waits for an answer and says how long it took.
func (n named) within(limit time.Duration, name string, typ uint16, want ...string) {
	n.T.Helper()
	began := time.Now()
	for !slices.Equal(n.answers(name, typ), want) {
		if time.Since(began) > limit {
			n.T.Fatalf("%s is answered %q after %v, want %q", name, n.answers(name, typ), limit, want)
		}
		<-time.After(5 * time.Millisecond)
	}
	n.T.Logf("%s: %q after %v", name, want, time.Since(began))
}

func TestTheNamesOfClientsAreAnswered(t *testing.T) {
	n := serveNames(t)
	id := n.subnet(object{"domain": "lan.example.com", "dns_names": true})
	c := n.kea.NewClient("eth1", "02:00:5e:00:53:01")
	c.Hostname = "Laptop"
	addr := n.kea.MustObtain(c)
	n.within(time.Second, "laptop.lan.example.com", mdns.TypeA, addr.String())
	n.within(time.Second, reverse(addr.String()), mdns.TypePTR, "laptop.lan.example.com.")
	// A reservation has its name before its client comes.
	n.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": "192.0.2.10", "mac": "02:00:5e:00:53:02", "hostname": "nas"}).Want(http.StatusCreated)
	n.within(time.Second, "nas.lan.example.com", mdns.TypeA, "192.0.2.10")
	// After a reload and a restart of the resolver they are answered again.
	n.dns.Settings(dnstest.Object{"cache_max_ttl": 3600})
	n.dns.MustSync()
	n.within(3*time.Second, "laptop.lan.example.com", mdns.TypeA, addr.String())
	if err := n.dns.Unbound.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.within(5*time.Second, "nas.lan.example.com", mdns.TypeA, "192.0.2.10")
	// An operator's own record comes first.
	zone := n.dns.Zone("lan.example.com")
	n.dns.Record(zone, "nas", "A", "192.0.2.99")
	n.dns.MustSync()
	n.within(5*time.Second, "nas.lan.example.com", mdns.TypeA, "192.0.2.99")
	// The lease ends, and its name with it.
	n.Do("DELETE", "/dhcp/leases/"+addr.String(), nil).Want(http.StatusOK)
	n.within(3*time.Second, "laptop.lan.example.com", mdns.TypeA)
	n.within(3*time.Second, reverse(addr.String()), mdns.TypePTR)
	// Switched off for the subnet.
	n.Edit("/dhcp/subnets/"+id, object{"dns_names": false}).Want(http.StatusOK)
	n.within(3*time.Second, reverse("192.0.2.10"), mdns.TypePTR)
}

func reverse(addr string) string {
	name, _ := mdns.ReverseAddr(addr)
	return name
}

// Who opens the management or a site by its name is not led to a client that claims it.
func TestAClientIsNeitherThisNodeNorASite(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	n := serveNames(t)
	site(n.Rig, "shop.lan.example.com", "off")
	n.subnet(object{"domain": "lan.example.com", "dns_names": true})
	for i, hostname := range []string{host, "shop", "later"} {
		c := n.kea.NewClient("eth1", fmt.Sprintf("02:00:5e:00:55:%02x", i))
		c.Hostname = hostname
		n.kea.MustObtain(c)
	}
	last := n.kea.NewClient("eth1", "02:00:5e:00:53:99")
	last.Hostname = "last"
	n.within(2*time.Second, "last.lan.example.com", mdns.TypeA, n.kea.MustObtain(last).String())
	for _, name := range []string{host, "shop"} {
		if got := n.answers(name+".lan.example.com", mdns.TypeA); len(got) > 0 {
			t.Errorf("%s is answered %q, which is a client", name, got)
		}
	}
	// A site that is published later has its name back.
	if got := n.answers("later.lan.example.com", mdns.TypeA); len(got) != 1 {
		t.Errorf("a name that is nobody else's is answered %q", got)
	}
	site(n.Rig, "later.lan.example.com", "off")
	n.MustSync()
	n.within(3*time.Second, "later.lan.example.com", mdns.TypeA)
}

// Whatever clients call themselves, no record is made but below the domain of their subnet.
func TestHostileNamesAreNoRecords(t *testing.T) {
	n := serveNames(t)
	n.subnet(object{"domain": "lan.example.com", "dns_names": true})
	before, err := n.dns.Unbound.Client.Data(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, hostname := range []string{
		"a\n.evil.zone", "good.evil.example.com", "www.google.com.", "..", "\xff\xfe", "wpad", "localhost", "*", "a\" IN A 6.6.6.6", "x 60 IN A 6.6.6.6", "\x04", "-dash",
		strings.Repeat("a", 80), "<script>alert(1)</script>", "good", "nul\x00byte", "ünï",
	} {
		c := n.kea.NewClient("eth1", fmt.Sprintf("02:00:5e:00:54:%02x", i))
		c.Hostname = hostname
		n.kea.MustObtain(c)
	}
	last := n.kea.NewClient("eth1", "02:00:5e:00:53:99")
	last.Hostname = "last"
	addr := n.kea.MustObtain(last)
	n.within(2*time.Second, "last.lan.example.com", mdns.TypeA, addr.String())
	after, err := n.dns.Unbound.Client.Data(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range after {
		name := strings.Fields(line)[0]
		if !slices.Contains(before, line) && !strings.HasSuffix(name, ".lan.example.com.") && !strings.HasSuffix(name, ".2.0.192.in-addr.arpa.") {
			t.Errorf("a client made the record %q", line)
		}
		if strings.Contains(line, "6.6.6.6") || strings.HasPrefix(name, "wpad.") {
			t.Errorf("a client made the record %q", line)
		}
	}
}
