package app_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api"
	"gateway/internal/app"
)

// Every operation that may change something is done once, by an administrator who may. One that
// says it only reads leaves no entry.
//
// shows AUDIT-01, AUDIT-22
func TestEveryMutationIsAudited(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := newWire(t, s.App)
	done, without := 0, withDaemons(t)
	for _, op := range operations(t, s.App) {
		if !op.mutates() || strings.HasPrefix(op.path, "/setup/") || slices.Contains(without, op.String()) {
			continue
		}
		p, known := s.prepare(op)
		if !known {
			t.Errorf("%s: no request is known that succeeds; add one to testdata/samples.json of the component, or to ready() where that cannot say it", op)
			continue
		}
		header := p.as.Clone()
		ticket, _ := s.tickets(w, op, p.as, p.path)
		maps.Copy(header, ticket())
		before := s.count(`select count(id) from audit_entries`)
		g := w.do(call{method: op.method, target: api.Prefix + p.path, header: header, body: p.text(t)})
		if g.status/100 != 2 {
			t.Errorf("%s = %d", op, g.status)
			continue
		}
		done++
		after := s.count(`select count(id) from audit_entries`)
		if !op.readOnly && after <= before {
			t.Errorf("%s = %d and is not in the audit log", op, g.status)
		}
		if op.readOnly && after != before {
			t.Errorf("%s only reads, and wrote %d entries to the audit log", op, after-before)
		}
	}
	if done < 100 {
		t.Errorf("%d operations were tried, want all of them", done)
	}
}

// document is the product's, as a client gets it.
func document(t *testing.T) map[string]any {
	t.Helper()
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// shows API-13, NET-27
func TestTheDocumentOffersNoSubscriptionAndNoChangeOfLiveInterfaces(t *testing.T) {
	doc := document(t)
	if doc["webhooks"] != nil {
		t.Error("the document has webhooks")
	}
	paths, _ := doc["paths"].(map[string]any)
	for path, operations := range paths {
		for method, op := range operations.(map[string]any) {
			text, _ := json.Marshal(op)
			if op.(map[string]any)["callbacks"] != nil || strings.Contains(strings.ToLower(path+string(text)), "subscri") {
				t.Errorf("%s %s has to do with subscriptions: %s", method, path, text)
			}
			if strings.HasPrefix(path, "/system/interfaces") && method != "get" {
				t.Errorf("live interfaces can be changed: %s %s", method, path)
			}
		}
	}
	if len(paths) < 100 || paths["/system/interfaces"] == nil {
		t.Errorf("%d paths, want the product's", len(paths))
	}
}

// shows API-04
func TestEveryTimestampIsISO8601(t *testing.T) {
	t.Parallel()
	seen := 0
	var walk func(name string, v any)
	walk = func(name string, v any) {
		m, _ := v.(map[string]any)
		if name == "timestamp" || strings.HasSuffix(name, "_at") {
			seen++
			if m["format"] != "date-time" && !strings.Contains(string(must(json.Marshal(v))), "date-time") {
				t.Errorf("%s is %v, want a date-time", name, v)
			}
		}
		properties, _ := m["properties"].(map[string]any)
		for name, p := range properties {
			walk(name, p)
		}
		for _, below := range m {
			if _, nested := below.(map[string]any); nested {
				walk("", below)
			}
		}
	}
	walk("", document(t)["components"])
	if seen < 50 {
		t.Errorf("%d timestamps in the document, want all of them", seen)
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
