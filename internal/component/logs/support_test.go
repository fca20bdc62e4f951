package logs

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"gateway/internal/daemon"
)

func TestASupportBundleHasTheUnitsAndNeitherRequestsNorTheAuditLog(t *testing.T) {
	all := support(sources([]daemon.Service{
		{Name: "apply", Unit: "gateway-apply.service", Required: true},
		{Name: "proxy", Unit: "haproxy.service", Component: "proxy", AccessLog: "gateway-access"},
		{Name: "packet-filter", Component: "firewall"},
	}))
	var names []string
	for _, s := range all {
		names = append(names, s.File)
	}
	if want := []string{"warnings.log", "apply.log", "proxy.log", "journal.log"}; !slices.Equal(names, want) {
		t.Errorf("files = %v, want %v", names, want)
	}
	asked := ""
	text, err := all[2].Read(t.Context(), func(_ context.Context, path string) (json.RawMessage, error) {
		asked = path
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		return json.Marshal(Page{Entries: []Entry{
			{At: at.Add(time.Second), Source: "proxy", Level: "warn", Program: "haproxy", PID: 7, Message: "later\nnot an entry"},
			{At: at, Source: "proxy", Level: "info", Program: "haproxy", PID: 7, Message: "first"},
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/logs?limit=300&sources=proxy"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
	want := "2026-01-02T03:04:05Z info  proxy haproxy[7]: first\n2026-01-02T03:04:06Z warn  proxy haproxy[7]: later\n\tnot an entry\n"
	if string(text) != want {
		t.Errorf("lines = %q, want %q", text, want)
	}
}
