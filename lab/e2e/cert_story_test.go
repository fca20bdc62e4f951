package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net"
	"testing"
	"time"

	"gateway/lab/pebbletest"
)

// certificate is one as the API answers it.
type certificate struct {
	ID, Status, Serial string
	LastError          *string `json:"last_error"`
	LastErrorMessage   *string `json:"last_error_message"`
}

func (c certificate) code() string {
	if c.LastError == nil {
		return ""
	}
	return *c.LastError
}

func (c *caller) certificate(id string) (out certificate) {
	c.t.Helper()
	c.get("/certificates/" + id).want(200).decode(&out)
	return out
}

// serves is the certificate that a client beside the node sees for a name.
func (a *appliance) serves(name string) *x509.Certificate {
	a.t.Helper()
	raw, err := a.client.DialContext(a.t.Context(), "tcp", net.JoinHostPort(a.node.IP().String(), "443"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := conn.HandshakeContext(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
	return conn.ConnectionState().PeerCertificates[0]
}

func (a *appliance) servesSerial(name string) string {
	a.t.Helper()
	return hex.EncodeToString(a.serves(name).SerialNumber.Bytes())
}

// The whole way on a node: an authority beside it, the doctor, port 80, the order, the
// swap, a renewal, and an authority that is gone.
//
// The orders are jobs of gateway-scheduler, which nobody else runs.
//
// shows CERT-01, CERT-02, CERT-03, PROC-03
func TestANodeOrdersServesAndRenewsItsCertificates(t *testing.T) {
	a, c := alone(t)
	if got := a.serves("nobody.example.com").Subject.CommonName; got != "gateway.invalid" {
		t.Errorf("a name without a certificate is served with one for %s, want the fallback", got)
	}
	ca := pebbletest.New(t, pebbletest.Options{At: a.client, HTTPPort: 80})
	ca.Address("shop.example.com", a.node.IP().String())
	if err := a.node.WriteFile("/etc/gateway/acme-ca.pem", ca.Root, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := a.node.WriteFile("/etc/resolv.conf", []byte("nameserver "+a.client.IP().String()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.put("/system/acme", object{"email": "ops@example.com", "directory_url": ca.URL, "terms_agreed": true}).want(200)

	var made certificate
	c.post("/certificates", object{"source": "acme", "names": []string{"shop.example.com"}}).want(201).decode(&made)
	a.eventually(time.Minute, "a certificate", func() bool {
		made = c.certificate(made.ID)
		if made.code() != "" {
			t.Fatalf("ordering: %s %s", made.code(), *made.LastErrorMessage)
		}
		return made.Status == "valid"
	})
	shown := func() bool { return a.servesSerial("shop.example.com") == made.Serial }
	a.eventually(patience, "the certificate being served", shown)
	for path, want := range map[string]string{
		"/etc/gateway/haproxy/certs":                     "700 root:root",
		"/etc/gateway/haproxy/certs/" + made.ID + ".pem": "600 root:root",
		"/etc/gateway/haproxy/crt-list.txt":              "640 root:root",
		"/etc/gateway/tls/fallback.pem":                  "600 root:root",
		"/var/lib/gateway/master.key":                    "400 gateway:gateway",
	} {
		if got := a.mode(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}

	c.post("/certificates/"+made.ID+"/renew", nil).want(202)
	before := made.Serial
	a.eventually(time.Minute, "the renewal", func() bool { made = c.certificate(made.ID); return made.Serial != before })
	a.eventually(patience, "the new one being served", shown)

	ca.Stop()
	c.post("/certificates/"+made.ID+"/renew", nil).want(202)
	a.eventually(time.Minute, "the failure", func() bool { return c.certificate(made.ID).code() == "acme_unreachable" })
	a.run("systemctl", "restart", "haproxy")
	a.eventually(patience, "the old one being served after a failure and a restart", shown)
	a.settles(c, patience)
}
