package change_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/apptest"
	"gateway/internal/change"
)

// The filters are asked of a history of four changes: a zone, a record, an address object
// with a reason, and a batch of two services.
func TestTheHistoryIsFiltered(t *testing.T) {
	_, admin := apptest.Ready(t)
	start := time.Now().Add(-time.Second)
	id := zone(admin, "home.arpa").ID()
	admin.Post("/dns/records", record(id, "www", "192.0.2.1")).Want(http.StatusCreated)
	with(admin, "Gateway-Reason", "The Printer moved").Post("/firewall/address-objects",
		object{"name": "printers", "kind": "host", "value": "192.0.2.7"}).Want(http.StatusCreated)
	service := func(name string, port int) object {
		return object{"method": "POST", "path": "/firewall/services", "body": object{"name": name, "protocol": "tcp", "port": port}}
	}
	admin.Post("/batch", object{"operations": []object{service("till", 7001), service("scales", 7002)}}).Want(http.StatusOK)
	var actors []string
	admin.Get("/changes/actors").Want(http.StatusOK).Data(&actors)
	me := actors[slices.IndexFunc(actors, func(a string) bool { return strings.Contains(a, "@") })]
	day := func(at time.Time) string { return at.UTC().Format(time.RFC3339) }

	for _, tc := range []struct {
		name  string
		query url.Values
		want  []string // actions, newest first
	}{
		{"all by a person", url.Values{"actor": {me}}, []string{"batch", "firewall.address_object.create", "dns.record.create", "dns.zone.create"}},
		{"nobody of that name", url.Values{"actor": {"somebody@example.com"}}, nil},
		{"of an area, also those of a batch", url.Values{"component": {"firewall"}, "actor": {me}}, []string{"batch", "firewall.address_object.create"}},
		{"that wrote a kind of object", url.Values{"table": {"firewall_services"}}, []string{"batch"}},
		{"with an object of that name in a batch", url.Values{"q": {"SCALES"}}, []string{"batch"}},
		{"with a reason in which it stands", url.Values{"q": {"printer m"}}, []string{"firewall.address_object.create"}},
		{"with that subject", url.Values{"q": {"home.arpa"}, "table": {"dns_zones"}}, []string{"dns.zone.create"}},
		{"since a time", url.Values{"since": {day(start)}, "actor": {me}, "component": {"dns"}}, []string{"dns.record.create", "dns.zone.create"}},
		{"before a time", url.Values{"until": {day(start)}, "actor": {me}, "component": {"dns"}}, nil},
		{"a wildcard is a letter like others", url.Values{"q": {"%"}, "actor": {me}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var found []change.Record
			answer := admin.Get("/changes?" + tc.query.Encode()).Want(http.StatusOK)
			answer.Data(&found)
			var got []string
			for _, c := range found {
				got = append(got, c.Action)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("changes = %q, want %q", got, tc.want)
			}
		})
	}

	var batch []change.Record
	admin.Get("/changes?q=scales").Data(&batch)
	if got, want := batch[0].Subject, "till, scales"; got != want {
		t.Errorf("a batch is called %q, want %q", got, want)
	}
	if got, want := batch[0].Objects, []change.Objects{{Table: "firewall_services", Operation: "INSERT", Count: 2}}; !slices.Equal(got, want) {
		t.Errorf("objects = %+v, want %+v", got, want)
	}
}
