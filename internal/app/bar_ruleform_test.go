package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

// filling is what somebody filled in, what the form said of it, and what it sends.
type filling struct {
	Filling struct {
		Name, Comment, Note string
		Labels              []string
	}
	Sentence   string
	Twice      bool
	Operations []fields
}

// The form of a rule runs in Node, as it does in the browser; what it sends goes to a real API,
// and what is stored is worded here, from the rows alone.
func TestBarPeople07RuleForm(t *testing.T) {
	bar.NotShort(t)
	count := bar.GateSize(150, 1000, 10_000)
	s := newStage(t)
	form := newRuleForm(t, s.App, s.admin)
	list := form.fill(count)
	wrong, twice, several := 0, 0, 0
	for _, f := range list {
		changes := form.changes()
		form.send(f.Operations)
		if got := form.changes() - changes; got != 1 {
			t.Errorf("%s was %d changes, want 1", f.Filling.Name, got)
		}
		if d := form.differs(f); d != "" {
			wrong++
			t.Log(d)
		}
		if f.Twice {
			twice++
		}
		if len(f.Operations) > 1 {
			several++
		}
	}
	zones, ports, uplinks := form.control(list, swapZones), form.control(list, otherPort), form.control(list, noUplinks)
	figure := fmt.Sprintf("%d fillings (%d made objects on the fly, %d asked twice): %d stored otherwise than said; control: swapped zones %d of %d, other ports %d of %d, no uplink group %d of %d found",
		len(list), several, twice, wrong, zones.found, zones.tried, ports.found, ports.tried, uplinks.found, uplinks.tried)
	right := len(list) == count && wrong == 0 && several > 0
	for _, control := range []found{zones, ports, uplinks} {
		right = right && control.tried > 0 && control.found == control.tried
	}
	bar.Report(t, "people", 7, figure, "0 otherwise; control finds all", right)
}

// ruleForm is the form in front of an API.
type ruleForm struct {
	t     *testing.T
	app   *apptest.App
	admin *apptest.Client
}

// newRuleForm has objects of all kinds there that an operator can refer to, some with odd names.
func newRuleForm(t *testing.T, a *apptest.App, admin *apptest.Client) *ruleForm {
	t.Helper()
	made := func(path string, body fields) string { return admin.Post(path, body).Want(http.StatusCreated).ID() }
	address := func(name, kind, value string) string {
		return made("/firewall/address-objects", fields{"name": name, "kind": kind, "value": value})
	}
	printers, mail := address("printers", "network", "192.0.2.0/24"), address("mail", "host", "192.0.2.25")
	odd := address(`the "old" one, in the attic`, "range", "192.0.2.40-192.0.2.49")
	address("10.9.9.9", "network", "10.8.0.0/16") // its name is another one's address
	made("/firewall/address-groups", fields{"name": "offices", "members": []string{printers, mail, odd}})
	made("/firewall/address-groups", fields{"name": "a, b", "members": []string{printers, mail}})
	git := made("/firewall/services", fields{"name": "Git", "protocol": "tcp", "port": 9418})
	made("/firewall/services", fields{"name": "tcp/22", "protocol": "tcp", "port": 2222}) // and so is this
	made("/firewall/service-groups", fields{"name": "Development", "members": []string{git}})
	made("/uplink-groups", fields{"name": "voice"})
	made("/uplink-groups", fields{"name": `"fibre", and more`, "family": "inet6"})
	return &ruleForm{t, a, admin}
}

// fill has the form's own code fill itself in at random.
func (f *ruleForm) fill(count int) []filling {
	f.t.Helper()
	known := fields{}
	for name, path := range map[string]string{"addresses": "address-objects", "addressGroups": "address-groups", "services": "services", "serviceGroups": "service-groups"} {
		var rows []any
		f.admin.Get("/firewall/" + path + "?limit=1000").Want(http.StatusOK).Data(&rows)
		known[name] = rows
	}
	var uplinks []any
	f.admin.Get("/uplink-groups?limit=1000").Want(http.StatusOK).Data(&uplinks)
	dir := f.t.TempDir()
	asked, out := filepath.Join(dir, "asked.json"), filepath.Join(dir, "fillings.json")
	text, err := json.Marshal(fields{"count": count, "zones": []string{"any", "lan", "wan", "dmz"}, "known": known, "uplinks": uplinks})
	if err == nil {
		err = os.WriteFile(asked, text, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.CommandContext(f.t.Context(), "npx", "vitest", "run", "src/features/firewall/fillings.test.ts")
	cmd.Dir = filepath.Join("..", "..", "web")
	cmd.Env = append(os.Environ(), "GATEWAY_FILLINGS="+asked, "GATEWAY_FILLINGS_OUT="+out)
	if said, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("the form: %v: %s", err, said)
	}
	var list []filling
	if text, err = os.ReadFile(out); err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return list
}

// send is what the browser does: a rule alone, or a batch with what it refers to.
func (f *ruleForm) send(operations []fields) {
	f.t.Helper()
	if len(operations) == 1 {
		f.admin.Post("/firewall/rules", operations[0]["body"]).Want(http.StatusCreated)
		return
	}
	f.admin.Post("/batch", fields{"operations": operations}).Want(http.StatusOK)
}

func (f *ruleForm) changes() (n int) {
	f.t.Helper()
	if err := f.app.Pool.QueryRow(f.t.Context(), `select count(*) from changes`).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	return n
}

// differs says in what the stored rule is not what the form said.
func (f *ruleForm) differs(said filling) string {
	f.t.Helper()
	r := f.stored(said.Filling.Name)
	want := said.Filling
	switch got := r.sentence(); {
	case got != said.Sentence:
		return fmt.Sprintf("%s: the form said %q, stored is %q", want.Name, said.Sentence, got)
	case r.comment != want.Comment || r.note != want.Note || !slices.Equal(r.labels, want.Labels):
		return fmt.Sprintf("%s: stored with %q, %q, %q, filled in %+v", want.Name, r.comment, r.note, r.labels, want)
	}
	return ""
}

// storedRule is a rule as the rows have it.
type storedRule struct {
	action, from, to             string
	source, destination, service string // in words
	uplinks                      string // the name of the group
	log, enabled                 bool
	expires                      *time.Time
	comment, note                string
	labels                       []string
}

func (f *ruleForm) stored(name string) storedRule {
	f.t.Helper()
	var r storedRule
	var src, dst, network [2]*string
	var kind [2]string
	var services [2]*string
	row := f.app.Pool.QueryRow(f.t.Context(), `select action, coalesce(src_zone, 'any zone'), coalesce(dst_zone, 'any zone and the gateway'),
		src_kind, src_object_id::text, src_group_id::text, src_cidr, dst_kind, dst_object_id::text, dst_group_id::text, dst_cidr,
		service_object_id::text, service_group_id::text, coalesce((select g.name from uplink_groups g where g.id = uplink_group_id), ''),
		log, enabled, expires_at, comment, note, labels from firewall_rules where name = $1`, name)
	err := row.Scan(&r.action, &r.from, &r.to, &kind[0], &src[0], &src[1], &network[0], &kind[1], &dst[0], &dst[1], &network[1],
		&services[0], &services[1], &r.uplinks, &r.log, &r.enabled, &r.expires, &r.comment, &r.note, &r.labels)
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	address := things{"firewall_address_objects", "firewall_address_groups", "firewall_address_members", "value"}
	service := things{"firewall_services", "firewall_service_groups", "firewall_service_members", serviceValue}
	r.source, r.destination = f.words(address, kind[0], src, network[0]), f.words(address, kind[1], dst, network[1])
	switch {
	case services[0] != nil:
		r.service = f.words(service, "object", services, nil)
	case services[1] != nil:
		r.service = f.words(service, "group", services, nil)
	}
	return r
}

// things are where objects, groups and members are, and what tells one object from another.
type things struct{ objects, groups, members, value string }

const serviceValue = `protocol || coalesce('/' || icmp_type, '') || coalesce('/' || port, '') || coalesce('-' || nullif(port_end, port), '')`

// words are what one side refers to.
func (f *ruleForm) words(of things, kind string, ids [2]*string, network *string) string {
	f.t.Helper()
	switch kind {
	case "cidr":
		p := netip.MustParsePrefix(*network)
		if p.IsSingleIP() {
			return p.Addr().String()
		}
		return p.String()
	case "object":
		name, values := f.named(`select name, array[`+of.value+`] from `+of.objects+` where id = $1`, *ids[0])
		return called(name, values)
	case "group":
		name, values := f.named(`select g.name, (select array_agg(`+of.value+`) from `+of.objects+` o join `+of.members+` m on m.object_id = o.id where m.group_id = g.id)
			from `+of.groups+` g where g.id = $1`, *ids[1])
		return called(name, values)
	}
	return ""
}

func (f *ruleForm) named(query, id string) (name string, values []string) {
	f.t.Helper()
	if err := f.app.Pool.QueryRow(f.t.Context(), query, id).Scan(&name, &values); err != nil {
		f.t.Fatal(err)
	}
	slices.Sort(values)
	return name, values
}

// called is a name and what it stands for.
func called(name string, values []string) string {
	list := strings.Join(values, ", ")
	switch {
	case len(values) > 5:
		return fmt.Sprintf("%s (%d)", name, len(values))
	case name == list:
		return name
	}
	return fmt.Sprintf("%s (%s)", name, list)
}

// sentence is what the rule does, in the words that the form promises it with.
func (r storedRule) sentence() string {
	at := func(zone, address string) string {
		if address == "" {
			return zone
		}
		return zone + " (" + address + ")"
	}
	what := r.service
	if what == "" {
		what = "any service"
	}
	action := map[string]string{"accept": "Accept", "drop": "Drop", "reject": "Reject"}[r.action]
	text := action + " " + what + " from " + at(r.from, r.source) + " to " + at(r.to, r.destination)
	if r.uplinks != "" {
		text += ", by the uplink group " + r.uplinks
	}
	if r.log {
		text += ", logged"
	}
	if r.expires != nil {
		text += ", until " + r.expires.UTC().Format(time.RFC3339)
	}
	if !r.enabled {
		text += ", disabled"
	}
	return text
}

// found is how often a form that sends something else was noticed.
type found struct{ tried, found int }

// control sends what a form with a mistake would send.
func (f *ruleForm) control(list []filling, mistake func(rule fields) bool) found {
	f.t.Helper()
	var sum found
	for i, said := range list {
		rule, ok := said.Operations[len(said.Operations)-1]["body"].(map[string]any)
		if !ok || sum.tried == 20 {
			break
		}
		rule = maps.Clone(rule)
		if f.mistaken(i, rule, mistake) {
			sum.tried++
			said.Filling.Name = rule["name"].(string)
			if f.differs(said) != "" {
				sum.found++
			}
		}
	}
	return sum
}

// mistaken stores the rule once more, with the mistake, if it can be made with it.
func (f *ruleForm) mistaken(i int, rule fields, mistake func(fields) bool) bool {
	f.t.Helper()
	if !mistake(rule) {
		return false
	}
	rule["name"] = fmt.Sprintf("mistake %d %s", i, unique())
	if id, ok := rule["service_object_id"].(string); ok && strings.HasPrefix(id, "other ") {
		rule["service_object_id"] = f.neighbour(strings.TrimPrefix(id, "other "))
	}
	f.admin.Post("/firewall/rules", rule).Want(http.StatusCreated)
	return true
}

// neighbour is a service with another port.
func (f *ruleForm) neighbour(id string) (other string) {
	f.t.Helper()
	err := f.app.Pool.QueryRow(context.WithoutCancel(f.t.Context()), `select id::text from firewall_services where id <> $1 and port is distinct from
		(select port from firewall_services where id = $1) order by name limit 1`, id).Scan(&other)
	if err != nil {
		f.t.Fatal(err)
	}
	return other
}

func swapZones(rule fields) bool {
	from, to := rule["src_zone"], rule["dst_zone"]
	rule["src_zone"], rule["dst_zone"] = to, from
	return from != to
}

func otherPort(rule fields) bool {
	id, ok := rule["service_object_id"].(string)
	rule["service_object_id"] = "other " + id
	return ok
}

func noUplinks(rule fields) bool {
	_, ok := rule["uplink_group_id"]
	delete(rule, "uplink_group_id")
	return ok
}

// What a rule had made on the fly goes when the change is reverted: it was one.
func TestARuleIsRevertedWithWhatWasMadeForIt(t *testing.T) {
	s := newStage(t)
	service, rule := "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	done := s.admin.Post("/batch", fields{"operations": []fields{
		{"method": "POST", "path": "/firewall/services", "id": service, "body": fields{"name": "tcp/8443", "protocol": "tcp", "port": 8443}},
		{"method": "POST", "path": "/firewall/rules", "id": rule, "body": fields{"name": "x", "src_zone": "lan", "dst_zone": "dmz", "action": "accept", "service_object_id": service}},
	}}).Want(http.StatusOK)
	s.admin.Post("/changes/"+done.Header.Get("Gateway-Change")+"/revert", nil).Want(http.StatusOK)
	s.admin.Get("/firewall/rules/" + rule).Want(http.StatusNotFound)
	s.admin.Get("/firewall/services/" + service).Want(http.StatusNotFound)
}
