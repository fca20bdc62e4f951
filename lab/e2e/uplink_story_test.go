package e2e

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

// serverBeyond is reached by both providers; which of them answers says which way was taken.
const serverBeyond = "203.0.113.9"

// Ports of that server: one that the default group decides over, one with a group by its rule.
const (
	plainPort = 7080
	voicePort = 7081
)

// twoWays is a node with two providers.
type twoWays struct {
	*appliance
	c         *caller
	providers map[string]*lab.Client
}

// A rule of the packet filter sends its connections to another group of uplinks than the routes
// would: from the API to the packets, through a failover and a cold boot without PostgreSQL.
func TestUplinkGroupStory(t *testing.T) {
	w := newTwoWays(t)
	first, second := w.uplink("first", "eth1"), w.uplink("second", "eth2")
	w.group("internet", true, first, second)
	voice := w.group("voice", false, second, first)
	w.c.rule("plain", "lan", "wan", "accept", object{"service_object_id": w.c.service("tcp", plainPort)})
	body := object{"name": "phones", "src_zone": "lan", "dst_zone": "wan", "action": "accept", "service_object_id": w.c.service("tcp", voicePort)}
	rule := "/firewall/rules/" + w.c.post("/firewall/rules", body).want(201).live().id()
	w.goes(plainPort, "first")
	w.goes(voicePort, "first")

	body["uplink_group_id"] = voice
	w.c.put(rule, body).want(200).live()
	w.goes(voicePort, "second")
	w.goes(plainPort, "first")
	explained := data[struct {
		UplinkGroup string `json:"uplink_group"`
		Out         string
	}](w.c.post("/firewall/explain", object{"interface": "eth0", "source": w.client.IP().String(), "destination": serverBeyond, "protocol": "tcp", "port": voicePort}))
	if explained.UplinkGroup != "voice" || explained.Out != "eth2" {
		t.Errorf("the explanation is %+v", explained)
	}

	w.lab.Must(w.node.CutLink("isp2"))
	w.goes(voicePort, "first")
	w.lab.Must(w.node.RestoreLink("isp2"))
	w.goes(voicePort, "second")

	w.sh("systemctl mask --now postgresql.service postgresql@17-main.service")
	w.lab.Must(w.node.Kill())
	w.lab.Must(w.node.Boot())
	w.goes(voicePort, "second")
	w.goes(plainPort, "first")
	w.sh("systemctl unmask postgresql.service postgresql@17-main.service; systemctl start postgresql")
	w.settles(w.c, 2*patience)

	delete(body, "uplink_group_id")
	w.c.put(rule, body).want(200).live()
	w.goes(voicePort, "first")
}

func newTwoWays(t *testing.T) *twoWays {
	t.Helper()
	l := lab.New(t)
	a := startSetUp(t, l, "isp1", "isp2")
	w := &twoWays{appliance: a, providers: map[string]*lab.Client{}}
	for i, name := range []string{"first", "second"} {
		net := fmt.Sprintf("isp%d", i+1)
		p := l.Client(net, lab.On(net))
		p.MustRun(t, "ip", "addr", "add", serverBeyond+"/32", "dev", "lo")
		p.MustRun(t, "ip", "route", "add", a.client.IP().String(), "via", a.node.IPOn(net).String())
		w.providers[name] = p
		for _, port := range []int{plainPort, voicePort} {
			w.answers(p, port, name)
		}
	}
	a.client.MustRun(t, "ip", "route", "add", "default", "via", a.node.IP().String())
	w.c = a.signedIn(a.admin)
	for name, zone := range map[string]string{"eth0": "lan", "eth1": "wan", "eth2": "wan"} {
		w.c.post("/network-interfaces", object{"name": name, "type": "ethernet", "role": zone}).want(201)
	}
	a.settles(w.c, patience)
	return w
}

// uplink is one that is trusted again after a second.
func (w *twoWays) uplink(name, device string) string {
	w.t.Helper()
	return w.c.post("/uplinks", object{"name": name, "interface": device, "gateway": w.providers[name].IP().String(), "window_s": 1, "hold_s": 1}).want(201).live().id()
}

// group is a choice of uplinks, the best one first.
func (w *twoWays) group(name string, isDefault bool, uplinks ...string) string {
	w.t.Helper()
	id := w.c.post("/uplink-groups", object{"name": name, "is_default": isDefault}).want(201).live().id()
	for i, u := range uplinks {
		w.c.post("/uplink-members", object{"group_id": id, "uplink_id": u, "tier": i + 1}).want(201).live()
	}
	return id
}

// answers has a provider say its name to whoever connects.
func (w *twoWays) answers(p *lab.Client, port int, name string) {
	w.t.Helper()
	ln, err := p.Listen(w.t.Context(), "tcp", fmt.Sprintf("%s:%d", serverBeyond, port))
	w.lab.Must(err)
	w.t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			fmt.Fprintln(conn, name)
			_ = conn.Close()
		}
	}()
}

// goes waits until new connections of the client take a way.
func (w *twoWays) goes(port int, by string) {
	w.t.Helper()
	w.eventually(patience, fmt.Sprintf("port %d by the %s provider", port, by), func() bool { return w.asked(port) == by })
}

// asked is the provider that answers a new connection, and empty for none.
func (w *twoWays) asked(port int) string {
	ctx, cancel := context.WithTimeout(w.t.Context(), 900*time.Millisecond)
	defer cancel()
	conn, err := w.client.DialContext(ctx, "tcp", fmt.Sprintf("%s:%d", serverBeyond, port))
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	line, _ := bufio.NewReader(conn).ReadString('\n') // of nobody it is empty
	return strings.TrimSpace(line)
}
