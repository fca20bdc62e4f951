package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/lab/pebbletest"
	"gateway/tools/bar"
)

// mostClicks is what something may take that is done to many objects at once.
const mostClicks = 3

// counted is what an operator did, and what came of it.
type counted struct{ Clicks, Changes, Applies int }

func (c counted) String() string {
	return fmt.Sprintf("clicks %d, changes %d, applies %d", c.Clicks, c.Changes, c.Applies)
}

// many is a node with many domains and rules, and an authority beside it.
type many struct {
	*appliance
	c     *caller
	known map[string]bool // changes of the administrator until the last mark
}

func newMany(t *testing.T, domains, rules int) *many {
	a, c := alone(t)
	w := &many{appliance: a, c: c}
	ca := pebbletest.New(t, pebbletest.Options{At: a.client, HTTPPort: 80})
	a.lab.Must(a.node.WriteFile("/etc/gateway/acme-ca.pem", ca.Root, 0o644))
	a.lab.Must(a.node.WriteFile("/etc/resolv.conf", []byte("nameserver "+a.client.IP().String()+"\n"), 0o644))
	c.put("/system/acme", object{"email": "ops@example.com", "directory_url": ca.URL, "terms_agreed": true}).want(200)
	var operations []object
	add := func(path string, body object) {
		operations = append(operations, object{"method": "POST", "path": path, "body": body})
	}
	for i := range domains {
		name := fmt.Sprintf("shop%02d.people.example", i)
		ca.Address(name, a.node.IP().String())
		add("/domains", object{"name": name})
	}
	add("/domains", object{"name": coveredName})
	add("/certificates", object{"source": "self_signed", "names": []string{coveredName}})
	for i := range rules {
		add("/firewall/rules", object{
			"name": fmt.Sprintf("Rule %03d", i), "src_zone": "lan", "dst_zone": "wan", "action": "accept", "priority": i + 1,
			"dst_kind": "cidr", "dst_cidr": fmt.Sprintf("198.51.%d.%d/32", 100+i/250, i%250),
		})
	}
	c.post("/batch", object{"operations": operations}).want(200)
	a.settles(c, patience)
	return w
}

const coveredName = "covered.people.example"

// made are the administrator's changes.
func (w *many) made() (ids []string) {
	w.t.Helper()
	var found []struct{ ID string }
	w.c.get("/changes?limit=1000&actor=" + url.QueryEscape(w.admin.email)).want(200).decode(&found)
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	return ids
}

func (w *many) mark(json.RawMessage) (any, error) {
	w.known = map[string]bool{}
	for _, id := range w.made() {
		w.known[id] = true
	}
	return nil, nil
}

// since is what was changed since the mark, and how often that was applied: a daemon that
// had to follow twice counts twice.
func (w *many) since(json.RawMessage) (any, error) {
	out := map[string]int{"changes": 0, "applies": 0}
	rounds := map[string]bool{}
	for _, id := range w.made() {
		if w.known[id] {
			continue
		}
		out["changes"]++
		w.eventually(patience, "the change being live", func() bool {
			var c struct{ Apply *string }
			w.c.get("/changes/" + id).want(200).decode(&c)
			return c.Apply == nil || *c.Apply == "live"
		})
		var d struct{ Rounds []struct{ ID string } }
		w.c.get("/changes/" + id).want(200).decode(&d)
		for _, r := range d.Rounds {
			rounds[r.ID] = true
		}
	}
	out["applies"] = len(rounds)
	return out, nil
}

func (w *many) enabled(json.RawMessage) (any, error) {
	return w.c.get("/firewall/rules?filter=enabled:true&limit=1").want(200).total(), nil
}

// certified reports how many of the domains have a certificate of the authority.
func (w *many) certified() int {
	w.t.Helper()
	var found []struct {
		Names          []string
		Source, Status string
	}
	w.c.get("/certificates?limit=1000").want(200).decode(&found)
	n := 0
	for _, c := range found {
		if c.Source == "acme" && c.Status == "valid" {
			n += len(c.Names)
		}
	}
	return n
}

// Many objects at once take as many clicks as one, and are one change with one apply; one
// by one, which is the control, they are as many as there are.
func TestBarPeople06Bulk(t *testing.T) {
	webFolder(t)
	domains, rules, singly := bar.GateSize(5, 30, 30), bar.GateSize(40, 200, 200), 3
	w := newMany(t, domains, rules)
	var out struct {
		Certificates, Disabled, Undone, Control counted
		Skipped                                 bool
		Off, On                                 int
		History                                 []string
	}
	do := deeds{"mark": w.mark, "made": w.since, "enabled": w.enabled}
	w.browse("bulk", do, &out, "EMAIL="+w.admin.email, "PASSWORD="+w.admin.password, "SINGLY="+strconv.Itoa(singly), "COVERED="+coveredName)
	w.eventually(3*time.Minute, "the certificates", func() bool { return w.certified() == domains })

	for what, got := range map[string]counted{"certificates": out.Certificates, "disabled": out.Disabled, "undone": out.Undone} {
		if got.Clicks < 1 || got.Clicks > mostClicks || got.Changes != 1 || got.Applies != 1 {
			t.Errorf("%s: %v; want at most %d clicks, one change, one apply", what, got, mostClicks)
		}
	}
	if got := out.Control; got.Changes != singly || got.Applies < 1 || got.Clicks < 2*singly {
		t.Errorf("the control, %d rules one by one: %v; want as many changes", singly, got)
	}
	if out.Off != 0 || out.On != rules || !out.Skipped {
		t.Errorf("%d rules were enabled after disabling, %d after the revert; the covered domain named: %v", out.Off, out.On, out.Skipped)
	}
	if words := strings.Join(out.History, "\n"); !strings.Contains(words, fmt.Sprintf("%d rules changed", rules)) {
		t.Errorf("the history does not say what was done: %s", words)
	}
	w.settles(w.c, patience)
	figure := fmt.Sprintf("%d domains get certificates: %v; %d rules disabled: %v; reverted: %v; control, %d one by one: %v",
		domains, out.Certificates, rules, out.Disabled, out.Undone, singly, out.Control)
	bar.Report(t, "people", 6, figure, "<=3 clicks each, one change, one apply", !t.Failed())
}

// total is how many rows a list has, of which an answer may hold a part.
func (r *answer) total() int {
	r.t.Helper()
	n, err := strconv.Atoi(r.header.Get("X-Total-Count"))
	if err != nil {
		r.t.Fatalf("%s: X-Total-Count: %v", r.what, err)
	}
	return n
}
