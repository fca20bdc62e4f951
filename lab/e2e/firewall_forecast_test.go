package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/lab"
	"gateway/tools/bar"
)

// path is a way by which somebody manages the node.
type path struct {
	name string
	c    *caller
	from *lab.Client
	at   string
}

// reaches reports whether a new connection comes about.
func (p path) reaches(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 900*time.Millisecond) // less than it takes to ask again
	defer cancel()
	conn, err := p.from.DialContext(ctx, "tcp", p.at)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// reachesAtLast tries twice: a busy machine may lose a second.
func (p path) reachesAtLast(ctx context.Context) bool {
	first := p.reaches(ctx)
	return first || p.reaches(ctx)
}

// forecast makes changes that may cut off whoever makes them.
type forecast struct {
	*border
	rand  *rand.Rand
	paths []path

	made     map[string][]string // what can be removed again, by collection
	group    string
	host     string // the client as an address object
	services []string
	eth0     string

	accepted, refused, waited    int
	missed, falseAlarms, astray  int
	cameBack, alreadyUnreachable int
	unkeepable                   int
}

func TestBarFirewall08Forecast(t *testing.T) {
	f := &forecast{border: between(t), rand: rand.New(rand.NewPCG(8, 15)), made: map[string][]string{}}
	f.prepare()
	n := bar.Size(40, 500)
	for i := range n {
		if i%20 == 19 {
			f.afresh()
		}
		if f.once(i); t.Failed() {
			break
		}
	}
	figure := fmt.Sprintf("%d changes: %d made, %d refused, %d missed, %d false alarms; %d of %d refused ones came back by themselves when made with a confirmation, %d were undone, %d could not be kept by who they cut off; %d by who was cut off before",
		f.accepted+f.refused, f.accepted, f.refused, f.missed, f.falseAlarms, f.cameBack, f.waited, f.refused-f.waited, f.unkeepable, f.alreadyUnreachable)
	right := !t.Failed() && f.missed+f.falseAlarms+f.astray == 0 && f.cameBack == f.waited && f.waited > 0 && f.unkeepable > 0 && f.refused*10 >= n && f.accepted*10 >= n
	bar.Report(t, "firewall", 8, figure, "forecast = what happens, 0 missed", right)
}

func (f *forecast) prepare() {
	f.t.Helper()
	six := f.c.copy()
	six.base = "https://[" + f.node.IP6().String() + "]:3443"
	beyond := *f.appliance
	beyond.client = f.far
	outside := beyond.stranger()
	outside.base = "https://" + f.node.IPOn("wan").String() + ":3443"
	outside.cookies = maps.Clone(f.c.cookies)
	f.paths = []path{
		{"lan by IPv4", f.c, f.client, f.node.IP().String() + ":3443"},
		{"lan by IPv6", six, f.client, "[" + f.node.IP6().String() + "]:3443"},
		{"wan by IPv4", outside, f.far, f.node.IPOn("wan").String() + ":3443"},
	}
	f.services = []string{f.c.service("tcp", 3443), f.c.service("tcp", 3444), f.c.service("udp", 3443)}
	f.group = f.c.post("/firewall/address-groups", object{"name": "them"}).want(201).id()
	f.host = f.c.post("/firewall/address-objects", object{"name": "client", "kind": "host", "value": f.client.IP().String()}).want(201).id()
	var all []struct{ ID, Name string }
	f.c.get("/network-interfaces").want(200).decode(&all)
	f.eth0 = all[slices.IndexFunc(all, func(i struct{ ID, Name string }) bool { return i.Name == "eth0" })].ID
}

// afresh opens all ways again and removes the rules: where many have gathered, most ways
// are closed already, and little is left to forecast.
func (f *forecast) afresh() {
	f.t.Helper()
	f.c.put("/firewall/settings", object{"lockout_zones": []string{}, "lockout_networks": []string{}}).want(200)
	for collection, ids := range f.made {
		for _, id := range ids {
			f.c.do("DELETE", collection+"/"+id, nil).want(200)
		}
	}
	clear(f.made)
}

// proposal is a change that somebody might make.
type proposal struct {
	method, path string
	body         object
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// propose draws a change.
func (f *forecast) propose(i int) proposal {
	switch f.rand.IntN(8) {
	case 0, 1, 2:
		return proposal{"PUT", "/firewall/settings", object{
			"lockout_zones":    one(f.rand, []string{}, []string{"lan"}, []string{"wan"}, []string{"mgmt"}, []string{"lan", "wan"}),
			"lockout_networks": one(f.rand, []string{}, []string{"10.99.1.0/24"}, []string{"10.99.2.0/24", "fd99::/16"}, []string{f.client.IP().String() + "/32"}, []string{"10.99.1.128/25"}, []string{"0.0.0.0/0"}),
		}}
	case 3, 4:
		return proposal{"POST", "/firewall/rules", f.rule(i)}
	case 5:
		if f.rand.IntN(2) == 0 {
			return proposal{"POST", "/nat-rules", object{
				"name": fmt.Sprintf("n%d", i), "kind": "dnat", "in_zone": one(f.rand, "lan", "wan", "any"), "protocol": "tcp",
				"dest_port": one(f.rand, 3443, 3443, 3444), "target_address": f.far.IP().String(), "target_port": 9,
			}}
		}
		return proposal{"PUT", "/network-interfaces/" + f.eth0, object{"name": "eth0", "type": "ethernet", "role": one(f.rand, "lan", "wan", "mgmt")}}
	case 6:
		if len(f.made["/firewall/address-members"]) == 0 {
			return proposal{"POST", "/firewall/address-members", object{"group_id": f.group, "object_id": f.host}}
		}
	}
	for _, collection := range []string{"/firewall/address-members", "/nat-rules", "/firewall/rules"} {
		if made := f.made[collection]; len(made) > 0 && (f.rand.IntN(2) == 0 || collection == "/firewall/rules") {
			return proposal{"DELETE", collection + "/" + one(f.rand, made...), nil}
		}
	}
	return proposal{"POST", "/firewall/rules", f.rule(i)}
}

func (f *forecast) rule(i int) object {
	body := object{
		"name": fmt.Sprintf("r%d", i), "priority": f.rand.IntN(100), "action": one(f.rand, "accept", "accept", "drop", "reject"),
		"src_zone": one(f.rand, "lan", "wan", "any", "any"), "dst_zone": one(f.rand, "any", "any", "any", "wan"), "enabled": f.rand.IntN(6) > 0,
	}
	switch f.rand.IntN(3) {
	case 0:
		body["src_kind"], body["src_cidr"] = "cidr", one(f.rand, "10.99.1.0/24", f.client.IP().String(), "10.99.2.0/24", "fd99::/16", "192.0.2.0/24")
	case 1:
		body["src_kind"], body["src_group_id"] = "group", f.group
	}
	if f.rand.IntN(4) == 0 {
		body["dst_kind"], body["dst_cidr"] = "cidr", one(f.rand, f.node.IP().String(), f.node.IP6().String(), "192.0.2.1")
	}
	if f.rand.IntN(2) == 0 {
		body["service_object_id"] = one(f.rand, f.services...)
	}
	return body
}

// once proposes a change by one of the paths that lead to the node, and finds out whether
// the answer is right.
func (f *forecast) once(i int) {
	f.t.Helper()
	by := one(f.rand, f.paths...)
	could := by.reaches(f.t.Context())
	change := f.propose(i)
	r, err := by.c.try(change.method, change.path, change.body)
	if err != nil && !could { // its connection from before is gone, so it cannot ask at all
		return
	}
	if err != nil {
		f.t.Fatalf("%s: %s %s: %v", by.name, change.method, change.path, err)
	}
	switch {
	case r.status < 300:
		f.accepted++
		f.note(change, r)
		f.kept(i, by, change, r, could)
	case r.status == http.StatusConflict && r.code() == "would_lock_out":
		f.refused++
		f.tried(i, by, change)
	case r.code() == "not_renderable": // it was drawn with addresses of two families
	default:
		f.t.Fatalf("%s: %s %s %v answered %v", by.name, change.method, change.path, change.body, r)
	}
}

// note keeps account of what can be removed.
func (f *forecast) note(change proposal, r *answer) {
	switch change.method {
	case "POST":
		f.made[change.path] = append(f.made[change.path], r.id())
	case "DELETE":
		at := strings.LastIndexByte(change.path, '/')
		collection, id := change.path[:at], change.path[at+1:]
		f.made[collection] = slices.DeleteFunc(f.made[collection], func(s string) bool { return s == id })
	}
}

// kept looks at a change that was not refused: it must not have cut off who made it.
func (f *forecast) kept(i int, by path, change proposal, r *answer, could bool) {
	f.t.Helper()
	r.live()
	if !could {
		f.alreadyUnreachable++
		return
	}
	if by.reachesAtLast(f.t.Context()) {
		return
	}
	f.missed++
	f.t.Errorf("change %d by %s: %s %s %v cut it off, and was not refused\n%s", i, by.name, change.method, change.path, change.body, f.run("nft", "list", "table", "inet", "gateway"))
}

// confirmed tries to keep what cuts off whoever asks, by the connection from before. It must not be kept.
func (f *forecast) confirmed(i int, by path, id string) {
	f.t.Helper()
	r, err := by.c.try("POST", "/changes/"+id+"/confirm", nil)
	switch {
	case err != nil: // the old connection is gone: it cannot even ask
	case r.status == http.StatusConflict && r.code() == "would_lock_out":
		f.unkeepable++
	default:
		f.t.Errorf("change %d by %s: confirming what cuts it off answered %v", i, by.name, r)
	}
}

// tried makes a refused change with a confirmation asked for: it must cut off who made it,
// and come back.
func (f *forecast) tried(i int, by path, change proposal) {
	f.t.Helper()
	c := by.c.copy()
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(confirmWithin.Seconds())))
	r := c.do(change.method, change.path, change.body)
	if r.status >= 300 {
		f.t.Fatalf("change %d with a confirmation: %v", i, r)
	}
	r.live()
	if by.reaches(f.t.Context()) {
		f.falseAlarms++
		f.t.Errorf("change %d by %s: %s %s %v was refused, and does not cut it off", i, by.name, change.method, change.path, change.body)
	}
	f.confirmed(i, by, r.header.Get("Gateway-Change"))
	if i%8 == 0 || f.waited == 0 { // the others need not be waited for
		f.waited++
		f.eventually(confirmWithin+patience, "the way in is back by itself", func() bool { return by.reaches(f.t.Context()) })
		f.cameBack++
		// The kernel is back before it is written down that nothing waits any more.
		f.eventually(patience, "the change no longer waits", func() bool {
			return f.sql("gateway", "select count(id) from changes where confirm_state = 'waiting'") == "0"
		})
		return
	}
	f.run("gateway-ctl", "revert", r.header.Get("Gateway-Change"))
	if !by.reachesAtLast(f.t.Context()) {
		f.astray++
		f.t.Errorf("change %d by %s: undone, and the way in is not back", i, by.name)
	}
}
