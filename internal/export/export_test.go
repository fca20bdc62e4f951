package export_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/export"
)

type object = map[string]any

// node is the API of a node, from its own command line.
type node struct {
	*testing.T
	local *app.Local
}

func newNode(t *testing.T) (node, *apptest.Client) {
	a, admin := apptest.Ready(t)
	l, err := app.NewLocal(t.Context(), a.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.WaitReady(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	return node{t, l}, admin
}

func (n node) get(ctx context.Context, path string) (json.RawMessage, error) {
	a, err := n.local.Do(ctx, http.MethodGet, path, nil, nil)
	return a.Data, err
}

func (n node) export() string {
	n.Helper()
	doc, err := export.Write(n.Context(), n.get, n.local.Managed())
	if err != nil {
		n.Fatal(err)
	}
	return string(doc)
}

func (n node) plan(doc string) []export.Step {
	n.Helper()
	steps, err := export.Plan(n.Context(), n.get, n.local.Managed(), []byte(doc))
	if err != nil {
		n.Fatal(err)
	}
	return steps
}

func (n node) apply(doc string) {
	n.Helper()
	if steps := n.plan(doc); len(steps) > 0 {
		if _, err := n.local.Do(n.Context(), http.MethodPost, "/batch", nil, object{"operations": steps}); err != nil {
			n.Fatal(err)
		}
	}
}

func fill(admin *apptest.Client) {
	for _, zone := range []string{"home.arpa", "corp.example"} {
		id := admin.Post("/dns/zones", object{"name": zone, "forward_to": []string{"192.0.2.53@5353"}}).Want(http.StatusCreated).ID()
		for _, name := range []string{"www", "mail", "@"} {
			admin.Post("/dns/records", object{"zone_id": id, "name": name, "type": "A", "value": "192.0.2.7", "ttl": 60}).Want(http.StatusCreated)
		}
		admin.Post("/dns/records", object{"zone_id": id, "name": "txt", "type": "TXT", "value": `say "yes": no # really`}).Want(http.StatusCreated)
	}
}

func TestWhatWasExportedComesBackAsItWas(t *testing.T) {
	n, admin := newNode(t)
	fill(admin)
	doc := n.export()
	if strings.Contains(doc, "_id:") || !strings.Contains(doc, "zone: home.arpa") {
		t.Errorf("the document refers by ids:\n%s", doc)
	}
	n.apply("dns: {zones: [], records: []}\nntp: {pools: []}")
	if wiped := n.export(); wiped == doc || strings.Contains(wiped, "home.arpa") {
		t.Fatalf("the wipe left\n%s", wiped)
	}
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
	if steps := n.plan(doc); len(steps) != 0 {
		t.Errorf("a second apply would do %v", steps)
	}
}

func TestTwoOfOneNameAreKeptApart(t *testing.T) {
	n, admin := newNode(t)
	for _, port := range []string{"tcp/81", "tcp/82", "tcp/83"} {
		admin.Post("/firewall/rules", object{
			"name": "web", "priority": 500, "action": "drop", "src_zone": "lan", "dst_zone": "wan", "comment": port,
		}).Want(http.StatusCreated)
	}
	doc := n.export()
	if steps := n.plan(doc); len(steps) != 0 {
		t.Fatalf("the document of what there is would do %v", steps)
	}
	n.apply("firewall: {rules: []}")
	if strings.Contains(n.export(), "tcp/82") {
		t.Fatal("the rules are still there")
	}
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
}

func TestAPlanReadsLikeOne(t *testing.T) {
	n, admin := newNode(t)
	fill(admin)
	got := n.plan(`
dns:
  zones:
    - {name: home.arpa, forward_to: []}
    - {name: new.arpa}
  records: []
`)
	var lines []string
	for _, s := range got {
		lines = append(lines, s.String())
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		`- dns zones corp.example`, `~ dns zones home.arpa: forward_to ["192.0.2.53@5353"] → []`, `+ dns zones new.arpa`,
		`- dns records home.arpa www A 192.0.2.7`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan lacks %q:\n%s", want, text)
		}
	}
}

func TestAPlanSaysWhatIsWrongWithTheDocument(t *testing.T) {
	n, _ := newNode(t)
	for doc, want := range map[string]string{
		"dns: [":                               "cannot be read",
		"dsn: {}":                              `"dsn"`,
		"dns: {zone: []}":                      `"zone"`,
		"dns: {zones: 5}":                      "must be a list",
		"dns: {zones: [5]}":                    "other than an object",
		"dns: {zones: [{name: a}, {name: a}]}": "twice",
		"dns: {records: [{zone: nowhere, name: www, type: A, value: 192.0.2.1}]}": `"nowhere"`,
		"dns: {records: [{name: www, type: A, value: 192.0.2.1}]}":                `needs "zone"`,
	} {
		_, err := export.Plan(t.Context(), n.get, n.local.Managed(), []byte(doc))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to say %s", doc, err, want)
		}
	}
}

func TestAReferenceMayBeEmpty(t *testing.T) {
	n, admin := newNode(t)
	provider := admin.Post("/certificates/dns-providers", object{"name": "ours", "kind": "rfc2136", "settings": object{
		"server": "192.0.2.1", "key_name": "gateway", "key": "YQ==",
	}}).Want(http.StatusCreated).ID()
	admin.Post("/certificates", object{"source": "acme", "challenge": "dns-01", "dns_provider_id": provider, "names": []string{"*.example.com"}}).Want(http.StatusCreated)
	admin.Post("/certificates", object{"source": "self_signed", "names": []string{"a.example.com", "b.example.com"}}).Want(http.StatusCreated)
	doc := n.export()
	if strings.Count(doc, "dns_provider: ours") != 1 || strings.Contains(doc, "nil") || strings.Contains(doc, "YQ==") || strings.Contains(doc, "BEGIN") {
		t.Errorf("exported as\n%s", doc)
	}
	n.apply("cert: {certificates: []}")
	n.apply(doc)
	if again := n.export(); again != doc {
		t.Errorf("came back as\n%s\nwas\n%s", again, doc)
	}
}

// A rule for an afternoon must not keep a document of last month from a new node.
func TestWhatIsOverIsNotMadeAnew(t *testing.T) {
	n, admin := newNode(t)
	soon := time.Now().Add(2 * time.Second).UTC().Truncate(time.Second)
	for name, until := range map[string]any{"visitors": soon, "staff": nil} {
		admin.Post("/firewall/rules", object{
			"name": name, "src_zone": "wan", "dst_zone": "lan", "src_kind": "any", "dst_kind": "any",
			"action": "accept", "expires_at": until,
		}).Want(http.StatusCreated)
	}
	doc := n.export()
	<-time.After(time.Until(soon.Add(100 * time.Millisecond)))
	if steps := n.plan(doc); len(steps) != 0 {
		t.Errorf("where it is, it would %v", steps)
	}
	n.apply("firewall: {rules: []}")
	n.apply(doc)
	if again := n.export(); strings.Contains(again, "visitors") || !strings.Contains(again, "staff") {
		t.Errorf("came back as\n%s", again)
	}
}
