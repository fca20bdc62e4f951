package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/daemons"
	"gateway/tools/bar"
)

// What was not stored has reached no daemon of a node that runs all of them: no file, unit, process, socket, address,
// route or rule of it is another. Package app shows the same of every table, and of every operation but those of the setup.
func TestBarTrust01Daemons(t *testing.T) {
	s := newUntouched(t)
	for range 3 { // the control of the control: nothing of what is looked at moves by itself
		s.look("nothing was asked")
	}
	s.every("dry run", s.dryRun, isStored)
	s.every("failing batch", s.batchThatFails, failedAtTheSecond)
	undo := s.failCommits()
	s.every("failing commit", s.forReal, func(a *answer) bool { return a.status == 500 })
	undo()
	s.every("refused candidate", s.forReal, nil)
	seen, unseen := s.control()
	sent, there := s.operations()
	figure := fmt.Sprintf("%d times something of the daemons of a node was another after %d dry runs, %d failing batches, %d failing commits, %d refused candidates and %d dry runs and batches of acts, which have neither, by %d of %d operations that change anything, %d looks; control: %d of %d kinds of state seen to change",
		s.changed, s.ways["dry run"], s.ways["failing batch"], s.ways["failing commit"], s.ways["refused candidate"], s.ways["act"], sent, there, s.looks, len(seen), len(seen)+len(unseen))
	for _, name := range unseen {
		t.Errorf("%s did not change when all was done for real", name)
	}
	bar.Report(t, "trust", 1, figure, "0, control all", s.changed == 0 && len(s.ways) == 5 && len(unseen) == 0 && !t.Failed())
}

// untouched is a node with one object of every kind, and all daemons on; its tunnels are not active, as the kernel may lack WireGuard.
type untouched struct {
	*border
	requests       []request
	before         map[string]string
	ways           map[string]int // how many requests were not stored, by the way in which
	changed, looks int
	change         string // by which the forward proxy was switched on
}

// every sends all that a way is for, each of which has to end as it does, and looks.
func (s *untouched) every(way string, send func(request) *answer, ends func(*answer) bool) {
	s.t.Helper()
	looks := bar.GateSize(8, 1, 1)
	for i, r := range s.requests {
		if counts, right := r.judged(way, ends); right != nil {
			if a := send(r); right(a) {
				s.ways[counts]++
			} else {
				s.t.Errorf("%s, %s: %v", way, r, a)
			}
		}
		if last := i+1 == len(s.requests); last || (i+1)%looks == 0 {
			if last {
				time.Sleep(3 * time.Second) // for what comes late
			}
			s.look(fmt.Sprintf("%s, %s or one of the %d before", way, r, looks-1))
		}
	}
}

// judged is as what a request counts that is sent in a way, and how it has to end; nil where it is not sent.
func (r request) judged(way string, ends func(*answer) bool) (counts string, right func(*answer) bool) {
	switch refused := way == "refused candidate"; {
	case r.refused != "" && refused:
		return way, func(a *answer) bool { return a.code() == r.refused }
	case refused || r.refused != "", way == "failing batch" && r.Method == "PATCH": // which no batch takes
		return "", nil
	case r.act && way != "failing commit":
		return "act", func(a *answer) bool { return a.status == 400 }
	}
	return way, ends
}

// operations is how many of the API's operations that change anything were sent, and how many there are.
func (s *untouched) operations() (sent, all int) {
	s.t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	s.lab.Must(json.Unmarshal(s.c.get("/openapi.json").want(200).body, &document))
	for path, methods := range document.Paths {
		is := regexp.MustCompile("^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, "[^/]+") + "$")
		for method, operation := range methods {
			method = strings.ToUpper(method)
			if method == "GET" || strings.Contains(string(operation), `"x-gateway-read-only":true`) {
				continue
			}
			all++
			if slices.ContainsFunc(s.requests, func(r request) bool { return r.Method == method && is.MatchString(r.Path) }) {
				sent++
			}
		}
	}
	return sent, all
}

// request changes the configuration.
type request struct {
	Method, Path string
	Body         object
	act          bool   // it does more than store, so there is no dry run of it, and it is in no batch
	refused      string // the code of the answer, for what it would lead to
}

func (r request) String() string { return r.Method + " " + r.Path }

// kind is one of everything.json: objects of a path, settings, or another request.
type kind struct {
	Method, Path, ID string
	Body, Other      object
	Once, Used, Act  bool // there cannot be two; it cannot be removed; no dry run
	Refused          string
}

func newUntouched(t *testing.T) *untouched {
	t.Helper()
	s := &untouched{border: between(t), ways: map[string]int{}}
	kinds := s.kinds()
	s.opened(s.c)
	for _, k := range kinds {
		if k.ID != "" {
			s.c.post("/batch", object{"operations": []object{{"method": "POST", "path": k.Path, "id": numbered(k.ID), "body": k.Body}}}).want(200)
		}
	}
	clock := s.c.settings("/ntp/settings")
	clock["serve_clients"], clock["listen_addresses"], clock["allow_acl"] = true, []string{}, []string{"10.0.0.0/8"}
	s.c.put("/ntp/settings", clock).want(200)
	for _, path := range []string{"/dhcp/settings", "/radius/settings"} {
		s.c.switched(path, nil)
	}
	proxy := s.c.settings("/forward-proxy/settings")
	proxy["enabled"] = true
	s.change = s.c.put("/forward-proxy/settings", proxy).want(200).live().header.Get("Gateway-Change")
	s.settles(s.c, patience)
	for _, k := range kinds {
		s.requests = append(s.requests, s.of(k)...)
	}
	s.before = s.observe()
	return s
}

const (
	collectionID = "0198c0de-0000-7000-8000-00000000"
	missingPool  = "/ntp/pools/00000000-0000-7000-8000-0000000000ff"
)

func numbered(id string) string { return collectionID + id }

var reference = regexp.MustCompile(`\{\{(\d{4})\}\}`)

func (s *untouched) kinds() (all []kind) {
	s.t.Helper()
	text, err := os.ReadFile("testdata/everything.json")
	s.lab.Must(err)
	base := func(address string) string { return address[:strings.LastIndex(address, ".")] }
	filled := strings.NewReplacer("{{eth0}}", s.c.id("/network-interfaces", "eth0"), "{{lan}}", base(s.node.IPOn("lan").String()), "{{wan}}", base(s.node.IPOn("wan").String()), "{{client}}", s.client.IP().String(),
		"{{eth1}}", s.c.id("/network-interfaces", "eth1")).
		Replace(reference.ReplaceAllString(string(text), collectionID+"$1"))
	s.lab.Must(json.Unmarshal([]byte(filled), &all))
	return all
}

// id is that of the object of that name.
func (c *caller) id(path, name string) string {
	c.t.Helper()
	for _, one := range data[[]struct{ ID, Name string }](c.get(path)) {
		if one.Name == name {
			return one.ID
		}
	}
	c.t.Fatalf("nothing at %s is called %s", path, name)
	return ""
}

// of are the requests for a kind: another one, the one there is changed, and removed.
func (s *untouched) of(k kind) []request {
	s.t.Helper()
	switch {
	case k.Method != "":
		return []request{{k.Method, strings.ReplaceAll(k.Path, "{{change}}", s.change), k.Other, k.Act, k.Refused}}
	case k.ID == "":
		body := s.c.settings(k.Path)
		maps.Copy(body, k.Other)
		return []request{{"PUT", k.Path, body, k.Act, k.Refused}}
	}
	other := maps.Clone(k.Body)
	maps.Copy(other, k.Other)
	path := k.Path + "/" + numbered(k.ID)
	var all []request
	if !k.Once && k.Other != nil {
		all = append(all, request{Method: "POST", Path: k.Path, Body: other})
	}
	if k.Other != nil {
		all = append(all, request{Method: "PUT", Path: path, Body: other})
	}
	if !k.Used {
		all = append(all, request{Method: "DELETE", Path: path})
	}
	return all
}

func isStored(a *answer) bool { return a.status < 300 }

func (s *untouched) forReal(r request) *answer { return s.send(s.c, r) }

func (s *untouched) send(c *caller, r request) *answer {
	s.t.Helper()
	if r.Body == nil {
		return c.do(r.Method, r.Path, nil)
	}
	return c.do(r.Method, r.Path, r.Body)
}

func (s *untouched) dryRun(r request) *answer {
	s.t.Helper()
	asks := s.c.copy()
	asks.header.Set("Gateway-Dry-Run", "true")
	return s.send(asks, r)
}

func (s *untouched) batchThatFails(r request) *answer {
	s.t.Helper()
	return s.c.post("/batch", object{"operations": []object{r.operation(), {"method": "DELETE", "path": missingPool}}})
}

func (r request) operation() object {
	one := object{"method": r.Method, "path": r.Path}
	if r.Body != nil {
		one["body"] = r.Body
	}
	return one
}

// failedAtTheSecond reports whether the first operation of a batch was done, and undone.
func failedAtTheSecond(a *answer) bool {
	return a.status == 404 && strings.Contains(string(a.body), `"operations[1]"`)
}

// failCommits lets every commit with an entry of the audit log fail, which is after all that judges it.
func (s *untouched) failCommits() (undo func()) {
	s.t.Helper()
	s.sql("gateway", `create function fail_commit() returns trigger language plpgsql as $$ begin raise 'this commit fails'; end $$;
		create constraint trigger fail_commit after insert on audit_entries deferrable initially deferred
			for each row when (new.action <> 'auth.ticket.issue') execute function fail_commit()`)
	return func() { s.sql("gateway", `drop trigger fail_commit on audit_entries; drop function fail_commit`) }
}

// look compares the daemons with what they were before.
func (s *untouched) look(after string) {
	s.t.Helper()
	s.looks++
	now := s.observe()
	for _, name := range differ(s.before, now) {
		s.changed++
		s.t.Errorf("after %s, %s is another:\n%s", after, name, firstDifference(s.before[name], now[name]))
	}
	s.before = now
}

// observed is what can be seen of daemons and of the kernel, by name; each is a line of shell.
var observed = map[string]string{
	// But for the heads of the audit log, which are written when it is their time.
	"files": `find /etc/gateway /etc/haproxy /etc/unbound /etc/chrony /etc/squid /etc/kea /etc/freeradius /etc/systemd /etc/sysctl.d /etc/apt /var/lib/gateway-apply \
		-printf '%p %i %C@ %m %u %g\n' 2>/dev/null | grep -v audit-anchors | sort`,
	"units": `systemctl show -p Id,ActiveState,SubState,MainPID,NRestarts,UnitFileState,ExecMainStartTimestampMonotonic,StateChangeTimestampMonotonic {{units}}`,
	// The newest ones: an old worker of HAProxy ends when its last connection does.
	"workers":       `for p in haproxy unbound chronyd squid kea-dhcp4 freeradius; do pgrep -a -n -x $p; done`,
	"sockets":       `ss -Hlntu | awk '{ print $1, $5 }' | awk -F: '$NF < 32768' | sort`,
	"packet filter": `nft -s list ruleset | sed -E 's/ expires [0-9a-z]+//g'`,
	"addresses":     `ip -o addr | sed 's/valid_lft.*//'; ip -o link | sed -E 's/state [A-Z]+.*//'`,
	"routes": `ip route show table all; ip -6 route show table all | sed -E 's/ expires [0-9a-z]+//'; ip rule; ip -6 rule; \
		sysctl net.ipv4.ip_forward net.ipv6.conf.all.forwarding`,
	"resolver": `unbound-control list_local_data; unbound-control list_forwards; unbound-control list_stubs; unbound-control get_option qname-minimisation`,
	"clock":    `chronyc -n -c sources | cut -d, -f3 | sort`,
}

func (a *appliance) observe() map[string]string {
	a.t.Helper()
	var units []string
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, one := range d.Services {
			if one.Unit != "" {
				units = append(units, one.Unit)
			}
		}
	}
	const line = "====\n"
	names := slices.Sorted(maps.Keys(observed))
	script := ""
	for _, name := range names {
		script += observed[name] + "\necho ====\n"
	}
	out := strings.Split(a.sh("{ "+strings.ReplaceAll(script, "{{units}}", strings.Join(units, " "))+"} 2>&1")+"\n", line)
	state := map[string]string{}
	for i, name := range names {
		if i >= len(out) || strings.TrimSpace(out[i]) == "" {
			a.t.Fatalf("nothing is seen of %s:\n%s", name, strings.Join(out, line))
		}
		state[name] = out[i]
	}
	return state
}

// firstDifference is the first line that is not in both.
func firstDifference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return "- " + x + "\n+ " + y
		}
	}
	return ""
}

// control does for real what is neither a removal nor an act, and names the kinds of state that were seen to change, and those that were not.
func (s *untouched) control() (seen, unseen []string) {
	s.t.Helper()
	before, moved := s.observe(), map[string]bool{}
	for _, r := range s.requests {
		if r.Method == "DELETE" || r.refused != "" || r.act {
			continue // what later ones are about, or what is done to all
		}
		s.send(s.c, r) // of two that exclude each other the second one is refused
		now := s.observe()
		for _, name := range differ(before, now) {
			moved[name] = true
		}
		before = now
		if len(moved) == len(before) {
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if moved[name] {
			seen = append(seen, name)
		} else {
			unseen = append(unseen, name)
		}
	}
	return seen, unseen
}
