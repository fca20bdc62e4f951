package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"regexp"
	"testing"
	"time"

	"gateway/tools/bar"
)

func TestBarWeb08CSRF(t *testing.T) {
	a := site(t)
	do := a.accounts()
	ids := a.ids()
	strangers := a.strangers()
	do["ids"] = func(json.RawMessage) (any, error) { return ids, nil }
	do["strangers"] = func(json.RawMessage) (any, error) { return strangers, nil }
	do["digest"] = func(json.RawMessage) (any, error) { return a.digest(), nil }
	t.Cleanup(func() { a.tamper("delete from users where email like 'csrf%'; delete from user_tokens") })
	var out struct {
		Mutations, Tried, Origins, Sent, Control, Harmless int
		Heard, Changed                                     []string
	}
	a.browse("csrf", do, &out)
	a.signedIn(a.admin).post("/system/maintenance", map[string]any{"enabled": false}).want(200) // the control turned it on
	for _, c := range append(out.Changed, out.Heard...) {
		t.Errorf("a stranger's page got through: %s", c)
	}
	if out.Control < 3 || out.Control != out.Harmless {
		t.Errorf("%d of %d attacks from our own page worked: nothing can be said about the others", out.Control, out.Harmless)
	}
	figure := fmt.Sprintf("%d state changes by %d requests for %d of %d mutations from %d origins; control %d of %d",
		len(out.Changed), out.Sent, out.Tried, out.Mutations, out.Origins, out.Control, out.Harmless)
	bar.Report(t, "web", 8, figure, "0 state changes", !t.Failed() && out.Tried > 30 && out.Tried >= bar.GateSize(0, out.Mutations, out.Mutations) && out.Origins == 3)
}

// ids are things that mutations could hit, by the path they are in.
func (a *appliance) ids() map[string]string {
	a.t.Helper()
	c := a.signedIn(a.admin)
	token := data[struct{ ID string }](c.post("/auth/tokens", map[string]any{"name": "target of a stranger", "role": "viewer"}))
	user := data[struct{ ID string }](c.post("/users", map[string]any{"email": "csrf-target@example.com", "role": "viewer", "password": "Cobalt-Meadow-17"}))
	sessions := data[[]struct{ ID string }](c.get("/auth/sessions"))
	return map[string]string{"/users/": user.ID, "/auth/tokens/": token.ID, "/auth/sessions/": sessions[0].ID}
}

var changing = regexp.MustCompile(`(?m)^\\.*$`) // pg_dump's own random words

// digest is everything that a mutation could change, in a few letters.
func (a *appliance) digest() string {
	a.t.Helper()
	// What the node writes by itself is left out: who uses what, what it is called, and what the alerts have seen. Acts of theirs are in the audit log.
	rows := a.run("runuser", "-u", "postgres", "--", "pg_dump", "--data-only", "--exclude-table-data=user_sessions", "--exclude-table-data=user_token_uses", "--exclude-table-data=dhcp_node",
		"--exclude-table-data=alert_states", "--exclude-table-data=alert_events", "--exclude-table-data=alert_deliveries", "--exclude-table-data=alert_channel_status", "gateway")
	sessions := a.sql("gateway", "select id, revoked_at from user_sessions order by id")
	units := a.sh("systemctl show -p MainPID,ActiveState haproxy squid unbound chrony gateway-scheduler gateway-api; sha256sum /var/lib/gateway/setup.json; ls /var/lib/gateway")
	sum := sha256.Sum256([]byte(changing.ReplaceAllString(rows, "") + sessions + units))
	return hex.EncodeToString(sum[:])
}

const strangersPage = `<!doctype html><title>You have won</title><body><h1>You have won</h1>`

// strangers serves a page from elsewhere: another host, another port of the node itself,
// whose cookies travel as if it were us, and the same without TLS.
func (a *appliance) strangers() []string {
	a.t.Helper()
	secure := &tls.Config{Certificates: []tls.Certificate{selfSigned(a.t)}}
	listen := func(l net.Listener, err error) net.Listener {
		a.t.Helper()
		if err != nil {
			a.t.Fatal(err)
		}
		return l
	}
	ctx := a.t.Context()
	other, same := a.client.IP().String()+":8443", a.node.IP().String()+":8443"
	plain := a.node.IP().String() + ":8081"
	servers := map[string]net.Listener{
		"https://" + other + "/": tls.NewListener(listen(a.client.Listen(ctx, "tcp", other)), secure),
		"https://" + same + "/":  tls.NewListener(listen(a.node.Listen(ctx, "tcp", same)), secure),
		"http://" + plain + "/":  listen(a.node.Listen(ctx, "tcp", plain)),
	}
	a.letsIn(8443, 8081)
	var origins []string
	for origin, l := range servers {
		s := &http.Server{ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, strangersPage) // a browser that went away
		})}
		go func() { _ = s.Serve(l) }() // ends with Close
		a.t.Cleanup(func() { _ = s.Close() })
		origins = append(origins, origin)
	}
	return origins
}

// letsIn opens ports of the node itself for as long as the test runs.
func (a *appliance) letsIn(ports ...int) {
	a.t.Helper()
	c := a.signedIn(a.admin)
	for _, port := range ports {
		name := fmt.Sprintf("port %d of the test", port)
		service := data[struct{ ID string }](c.post("/firewall/services", map[string]any{"name": name, "protocol": "tcp", "port": port}))
		c.post("/firewall/rules", map[string]any{
			"name": name, "src_zone": "any", "dst_zone": "any", "src_kind": "any", "dst_kind": "any", "service_object_id": service.ID, "action": "accept",
		}).want(201)
	}
	a.t.Cleanup(func() {
		a.tamper("delete from firewall_rules where name like 'port % of the test'; delete from firewall_services where name like 'port % of the test'")
	})
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
