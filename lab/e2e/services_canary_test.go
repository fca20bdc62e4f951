package e2e

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/dhcp/dhcptest"
	"gateway/internal/component/radius/freeradius"
)

// meanwhile are the command lines of the programs that ran, as often as a loop of the shell sees them.
const meanwhile = "the command lines meanwhile"

// With DHCP, RADIUS and the forward proxy in use, the secrets of the API and those that clients
// send by the daemons are nowhere, but for the files that FreeRADIUS reads its own from.
//
// shows SEC-02, SEC-08
func TestBarServices09Canaries(t *testing.T) {
	deb := firstDeb(t)
	a := &aviary{appliance: fresh(t), heard: &transcript{}}
	defer a.report("services", 9)
	a.install(deb)
	stream := a.throughSetup()
	c := a.signIn()
	commands, untilControl := a.watchCommands(), stream.untilControl()
	c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201).live()
	a.throughDHCP(c)
	a.throughForwardProxy(c)
	a.throughRADIUS(c)
	a.throughHistory(c)
	a.throughAll("services.9")
	a.throughLives("services.9")
	a.plantControls()
	untilControl()
	places := a.places(stream)
	places["the exported configuration"] = a.run("gateway-ctl", "export")
	places[supportBundle] = a.throughSupport(c)
	places[meanwhile] = commands()
	a.search(places)
	a.areInUse()
}

// watchCommands notes the command lines of all processes until it is asked for them.
func (a *aviary) watchCommands() (seen func() string) {
	a.t.Helper()
	const unit, file = "watch-commands", "/run/watched-commands"
	a.run("systemd-run", "--quiet", "--unit="+unit, "sh", "-c",
		"while :; do cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; sleep 0.05; done >"+file)
	return func() string {
		a.run("bash", "-c", "exec -a "+a.control("control in a command line that ended")+" sleep 1")
		a.run("systemctl", "stop", unit)
		text := a.run("sort", "-u", file)
		a.run("rm", file) // it is searched as a text
		return text
	}
}

// switched switches a service on.
func (c *caller) switched(path string, more object) {
	c.t.Helper()
	settings := c.settings(path)
	settings["enabled"] = true
	for name, value := range more {
		settings[name] = value
	}
	c.put(path, settings).want(200).live()
}

// throughDHCP has no secret to send: the document declares none, and clients send none. It is on
// beside the others, with a lease and a reservation.
func (a *aviary) throughDHCP(c *caller) {
	a.t.Helper()
	network := a.lab.Network("lan").Prefix()
	base := strings.TrimSuffix(network.Addr().String(), "0")
	subnet := c.post("/dhcp/subnets", object{
		"interface": "eth0", "subnet": network.String(), "pools": []string{base + "200-" + base + "210"}, "gateway": a.node.IP().String(),
	}).want(201).id()
	c.switched("/dhcp/settings", nil)
	client, err := dhcptest.NewClient(a.client, "eth0", "02:00:5e:00:53:01")
	a.lab.Must(err)
	defer client.Close()
	got, err := client.Obtain(a.t.Context(), patience)
	a.lab.Must(err)
	c.post("/dhcp/reservations", object{"subnet_id": subnet, "address": got.Address.String(), "mac": client.MAC.String()}).want(201).live()
	c.get("/dhcp/leases").want(200)
}

// throughForwardProxy sends what browsers send of secrets, to a site and to one that is denied.
func (a *aviary) throughForwardProxy(c *caller) {
	a.t.Helper()
	web := a.lab.Client("web")
	ln, err := web.Listen(a.t.Context(), "tcp", net.JoinHostPort(web.IP().String(), "80"))
	a.lab.Must(err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "welcome") })}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	c.switched("/forward-proxy/settings", object{"allowed_networks": []string{a.client.IP().String()}, "access_log": true})
	c.post("/forward-proxy/acls", object{"action": "deny", "type": "url", "value": "*/games/*", "name": "No games", "only_from": []string{}}).want(201).live()
	for path, want := range map[string]int{"/news/": 200, "/games/": 403} {
		if got := a.asBrowser(web.IP().String(), path); got != want {
			a.t.Errorf("%s is answered %d, want %d", path, got, want)
		}
	}
	if log := a.run("cat", "/var/log/squid/gateway-access"); !strings.Contains(log, "/news/") || !strings.Contains(log, "/games/") {
		a.t.Errorf("the log of requests has nothing of these: %s", log)
	}
	c.get("/forward-proxy/stats").want(200)
}

// asBrowser asks for an address by the proxy, with a secret wherever a browser has one. It writes
// the request itself: Go keeps passwords out of addresses.
func (a *aviary) asBrowser(host, path string) int {
	a.t.Helper()
	conn, err := a.client.DialContext(a.t.Context(), "tcp", net.JoinHostPort(a.node.IP().String(), "3128"))
	a.lab.Must(err)
	defer conn.Close()
	a.lab.Must(conn.SetDeadline(time.Now().Add(patience)))
	secret := func(name string) string { return a.loose(name + ", at " + path) }
	basic := func(name string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+secret(name)))
	}
	form := "password=" + secret("password in a form")
	for _, line := range []string{
		"POST http://ann:" + secret("password in the address") + "@" + host + path + "?token=" + secret("token in the query") + " HTTP/1.1",
		"Host: " + host, "Connection: close", fmt.Sprint("Content-Length: ", len(form)),
		"Authorization: " + basic("password for a site"), "Proxy-Authorization: " + basic("password for the proxy"),
		"Cookie: session=" + secret("cookie of a site"), "X-Api-Key: " + secret("key for a site"), "", form,
	} {
		_, err := io.WriteString(conn, line+"\r\n")
		a.lab.Must(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	a.lab.Must(err)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// secretObjects sends canaries through a field of objects: created and undone, replaced, deleted
// and undone, deleted. It returns the secret of one that stays.
func (a *aviary) secretObjects(c *caller, path, field string, body func(name string) object) string {
	a.t.Helper()
	with := func(name, what string) object {
		o := body(name)
		o[field] = a.loose(what + " of " + path)
		return o
	}
	revert := func(r *answer) *answer { return c.post("/changes/"+r.header.Get("Gateway-Change")+"/revert", nil) }
	revert(c.post(path, with("first", field+" that was undone")).want(201).live()).want(200)
	id := c.post(path, with("second", "first "+field)).want(201).live().id()
	c.post(path, with("second", field+" of a refused one")).want(409)
	revert(c.put(path+"/"+id, with("second", "replaced "+field)).want(200).live()).wantCode(409, "secrets_not_kept")
	a.undone(c, path+"/"+id)
	revert(c.do(http.MethodDelete, path+"/"+id, nil).want(200)).wantCode(409, "secrets_not_kept")
	last := with("third", field+" in use")
	id = c.post(path, last).want(201).live().id()
	a.flock[len(a.flock)-1].inUse = true
	c.get(path).want(200)
	c.get(path + "/" + id).want(200)
	return last[field].(string)
}

func (a *aviary) throughRADIUS(c *caller) {
	a.t.Helper()
	c.switched("/radius/settings", nil)
	addresses := map[string]string{"first": "192.0.2.1", "second": "192.0.2.2", "third": a.client.IP().String()}
	shared := a.secretObjects(c, "/radius/clients", "secret", func(name string) object {
		return object{"name": name, "address": addresses[name]}
	})
	password := a.secretObjects(c, "/radius/users", "password", func(name string) object { return object{"name": name} })
	at := device{a.t, a.client, a.node.IP().String(), shared}
	for _, tc := range []struct{ user, password, want string }{
		{"third", password, "accept"},
		{"third", a.loose("wrong password at a device"), "reject"},
		{"nobody", a.loose("password of nobody at a device"), "reject"},
	} {
		if got := at.asks(tc.user, tc.password); got != tc.want {
			a.t.Errorf("%s is answered %s, want %s", tc.user, got, tc.want)
		}
	}
	at.secret = a.loose("wrong secret of a device")
	if got := at.asks("third", password); got != "silence" {
		a.t.Errorf("a device with another secret is answered %s", got)
	}
	for _, method := range []string{"pap", "chap"} {
		c.post("/radius/test-sign-in", object{"user": "third", "password": password, "method": method}).want(200)
		c.post("/radius/test-sign-in", object{"user": "third", "password": a.loose("wrong password of a test by " + method), "method": method}).want(200)
	}
	c.get("/radius/sign-ins").want(200)
	a.caught("secret by which the node asks itself", a.run("head", "-n", "1", freeradius.SecretFile), -1) // a hash follows
	a.flock[len(a.flock)-1].inUse = true
}

// appliedCopy is gateway-apply's copy of a component's files.
var appliedCopy = regexp.MustCompile(`^/var/lib/gateway-apply/[a-z]+\.files/`)

// confidential tells whether a file is one that a daemon reads secrets from, or gateway-apply's copy
// of it, and nobody else can read it.
func (a *aviary) confidential(path string) bool {
	a.t.Helper()
	switch {
	case strings.HasPrefix(path, freeradius.Folder+"/"):
		return a.mode(path) == "640 root:"+freeradius.Group
	case strings.HasPrefix(path, "/etc/gateway/"): // where the daemon of another component reads them, by its group
		mode := a.mode(path)
		return strings.HasPrefix(mode, "640 root:") && mode != "640 root:gateway"
	case appliedCopy.MatchString(path):
		return a.mode(path) == "600 root:root"
	}
	return false
}

// areInUse holds that the secrets in use were found where they are: so the others would have been.
func (a *aviary) areInUse() {
	a.t.Helper()
	for _, c := range a.flock {
		if files := a.onDisk[c.value]; c.inUse && len(files) < 2 {
			a.t.Errorf("%s is in the files %v, want the daemon's and its copy: nothing can be said about the others", c.name, files)
		}
	}
}
