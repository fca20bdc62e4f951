// Package bindtest runs Debian 13's BIND for tests that need a name server whose records
// change while it runs (RFC 2136). What is changed is left to the test. It is imported by
// tests only.
package bindtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"gateway/lab"
)

// The key that may change the zone.
const (
	KeyName = "gateway"
	Key     = "Z2F0ZXdheSdzIGtleSBmb3IgdGVzdHMgb25seSEhISE="
)

// Server is a BIND that holds one zone, by itself.
type Server struct {
	Addr string
	Port string
}

const config = `options {
	directory %[1]q;
	listen-on port %[2]s { 127.0.0.1; };
	listen-on-v6 { none; };
	recursion no;
	dnssec-validation no;
	pid-file none;
	allow-query { any; };
	managed-keys-directory %[1]q;
	session-keyfile none;
};
controls { };
key %[3]q { algorithm hmac-sha256; secret %[4]q; };
zone "." { type primary; file "root"; };
zone %[5]q { type primary; file "zone"; allow-update { key %[3]q; }; };
`

const zoneHead = `$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 1
@ NS ns
ns A 127.0.0.1
`

// New starts one with a zone and these records in it, as a zone file has them.
func New(t testing.TB, zone, records string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "bind")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	s.Addr, s.Port = free(t)
	write(t, filepath.Join(dir, "zone"), zoneHead+records)
	write(t, filepath.Join(dir, "root"), zoneHead) // so that there is an answer about every name
	file := filepath.Join(dir, "named.conf")
	write(t, file, fmt.Sprintf(config, dir, s.Port, KeyName, Key, zone))
	var log bytes.Buffer
	argv := lab.InRoot(t, "", "/usr/sbin/named", "-g", "-4", "-n", "1", "-c", file)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			lines := strings.Split(log.String(), "\n")
			t.Logf("BIND said, last:\n%s", strings.Join(lines[max(0, len(lines)-15):], "\n"))
		}
		_ = os.RemoveAll(dir)
	})
	s.await(t, zone)
	return s
}

func free(t testing.TB) (addr, port string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, err = net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return ln.Addr().String(), port
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) await(t testing.TB, zone string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		if records, err := s.ask(zone, dns.TypeSOA); err == nil && len(records) > 0 {
			return
		}
		select {
		case <-deadline:
			t.Fatal("BIND does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) ask(name string, kind uint16) ([]dns.RR, error) {
	c := dns.Client{Net: "tcp", Timeout: time.Second}
	in, _, err := c.Exchange(new(dns.Msg).SetQuestion(dns.Fqdn(name), kind), s.Addr)
	if err != nil {
		return nil, err
	}
	return in.Answer, nil
}

// Records are those of a name.
func (s *Server) Records(t testing.TB, name string, kind uint16) []dns.RR {
	t.Helper()
	records, err := s.ask(name, kind)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// Set replaces the records of one kind that a name of the zone has; none removes them.
// Values are as a zone file has them.
func (s *Server) Set(t testing.TB, zone, name, kind string, values ...string) {
	t.Helper()
	m := new(dns.Msg).SetUpdate(dns.Fqdn(zone))
	m.RemoveRRset([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: dns.Fqdn(name), Rrtype: dns.StringToType[kind]}}})
	for _, v := range values {
		rr, err := dns.NewRR(dns.Fqdn(name) + " 1 " + kind + " " + v)
		if err != nil {
			t.Fatal(err)
		}
		m.Insert([]dns.RR{rr})
	}
	m.SetTsig(dns.Fqdn(KeyName), dns.HmacSHA256, 300, time.Now().Unix())
	c := dns.Client{Net: "tcp", Timeout: 5 * time.Second, TsigSecret: map[string]string{dns.Fqdn(KeyName): Key}}
	in, _, err := c.Exchange(m, s.Addr)
	if err != nil || in.Rcode != dns.RcodeSuccess {
		t.Fatalf("change %s of %s: %v, %v", kind, name, in, err)
	}
}
