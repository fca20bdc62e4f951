package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

// browse asks for a URL by the proxy of a node, from a machine beside it. 0 is no answer at all.
func browse(t *testing.T, at *lab.Client, proxy, address string) (int, string) {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy}),
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			return at.DialContext(ctx, network, addr)
		},
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

// The installed product lets a client of the network out by its proxy: Squid in its sandbox,
// gateway-apply in its own; off, on, denied by a rule, refused by nature, killed, off again.
//
// shows FWD-06, SYS-15*
func TestStoryForwardProxy(t *testing.T) {
	a, c := alone(t)
	if got := a.sh("systemctl is-active squid; systemctl is-enabled squid; true"); got != "inactive\ndisabled" {
		t.Errorf("on a fresh node Squid is %q", got)
	}
	web := a.lab.Client("web")
	ln, err := web.Listen(t.Context(), "tcp", net.JoinHostPort(web.IP().String(), "80"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "welcome to ", r.URL.Path) })}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	home, proxy := "http://"+web.IP().String(), net.JoinHostPort(a.node.IP().String(), "3128")
	is := func(when string, at *lab.Client, address string, want int) string {
		t.Helper()
		status, text := browse(t, at, proxy, address)
		if status != want {
			t.Errorf("%s, %s is answered %d, want %d: %s\n%s", when, address, status, want, text, a.sh("journalctl -n 30 --no-pager -o cat -u squid -u gateway-squid-reload; true"))
		}
		return text
	}
	c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live()
	is("off", a.client, home+"/", 0)
	settings := c.settings("/forward-proxy/settings")
	settings["enabled"], settings["allowed_networks"], settings["contact"] = true, []string{a.client.IP().String()}, "the help desk"
	c.put("/forward-proxy/settings", settings).want(200).live()
	if text := is("on", a.client, home+"/", 200); text != "welcome to /" {
		t.Errorf("answered %q", text)
	}
	if rules := a.sh("nft list table inet gateway"); !strings.Contains(rules, "tcp dport 3128 accept") {
		t.Errorf("the port is not open:\n%s", rules)
	}
	// Outside of its networks, and to the node itself.
	is("outside of the networks", web, home+"/", 403)
	for _, own := range []string{"http://" + a.node.IP().String() + "/", "http://127.0.0.1/", "http://localhost/", "http://127.0.0.1:13128/squid-internal-mgr/info"} {
		is("to the node itself", a.client, own, 403)
	}
	// A rule, live without a restart, and a page that says which one.
	pid := a.mainPID("squid.service")
	began := time.Now()
	c.post("/forward-proxy/acls", object{"action": "deny", "type": "url", "value": "*/games/*", "name": "No games", "only_from": []string{}}).want(201).live()
	t.Logf("a rule was live after %v", time.Since(began))
	if text := is("denied by a rule", a.client, home+"/games/chess", 403); !strings.Contains(text, "No games") || !strings.Contains(text, "the help desk") {
		t.Errorf("the page is %s", text)
	}
	is("beside the rule", a.client, home+"/work", 200)
	if now := a.mainPID("squid.service"); now != pid {
		t.Errorf("a change was a restart of Squid: %s, then %s", pid, now)
	}
	said := data[struct {
		Allowed bool
		Why     string
	}](c.post("/forward-proxy/explain", object{"source": a.client.IP().String(), "url": home + "/games/chess"}).want(200))
	if said.Allowed || said.Why != "rule" {
		t.Errorf("the dry run says %+v", said)
	}
	stats := data[struct{ Requests int }](c.get("/forward-proxy/stats").want(200))
	if stats.Requests == 0 {
		t.Errorf("the counters are %+v", stats)
	}
	if log := a.sh("cat /var/log/squid/gateway-access"); !strings.Contains(log, "/games/chess") || strings.Contains(log, "generation.invalid") {
		t.Errorf("the log of requests is %s", log)
	}
	a.sh("systemctl start gateway-squid-rotate")
	if user := a.sh("stat -c %U /proc/" + pid); user != "proxy" {
		t.Errorf("Squid runs as %s", user)
	}
	c.post("/system/service-restart", object{"service": "forward-proxy"}).want(200)
	if a.mainPID("squid.service") == pid {
		t.Errorf("after a restart Squid is still process %s", pid)
	}
	a.sh("systemctl kill -s KILL squid.service")
	a.eventually(patience, "it is back after a kill", func() bool { status, _ := browse(t, a.client, proxy, home+"/"); return status == 200 })
	settings = c.settings("/forward-proxy/settings")
	settings["enabled"] = false
	c.put("/forward-proxy/settings", settings).want(200).live()
	is("off again", a.client, home+"/", 0)
	if rules := a.sh("nft list table inet gateway"); strings.Contains(rules, "3128") {
		t.Error("the port is open while it is off")
	}
	if got := a.sh("systemctl is-active squid; true"); got != "inactive" {
		t.Errorf("off, Squid is %q", got)
	}
}
