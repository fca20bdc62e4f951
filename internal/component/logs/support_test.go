package logs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
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

// Who has which address is nobody else's business; the rest of what the DHCP server says is why they were asked.
func TestASupportBundleHasNoLeases(t *testing.T) {
	const client = "[hwtype=1 52:54:00:12:34:56], cid=[01:52:54:00:12:34:56], tid=0x1b3d"
	var page Page
	for _, message := range []string{
		"INFO  DHCP4_STARTED Kea DHCPv4 server version 2.6.3 started",
		"INFO  DHCP4_LEASE_ALLOC " + client + ": lease 192.0.2.17 has been allocated for 3600 seconds",
		"INFO  DHCP4_RELEASE " + client + ": address 192.0.2.17 was released properly.",
		"INFO  ALLOC_ENGINE_LEASE_RECLAIMED successfully reclaimed lease 192.0.2.17",
		"WARN  DHCPSRV_OPEN_SOCKET_FAIL failed to open socket: interface eth7 is down",
	} {
		page.Entries = append(page.Entries, Entry{Source: "dhcp", Level: "info", Program: "kea-dhcp4", Message: message})
	}
	text, err := lines("/logs")(t.Context(), func(context.Context, string) (json.RawMessage, error) { return json.Marshal(page) })
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if strings.Contains(got, "192.0.2.17") || strings.Contains(got, "52:54") || !strings.Contains(got, "STARTED") || !strings.Contains(got, "eth7 is down") ||
		!strings.HasPrefix(got, "3 lines about DHCP leases are left out\n") {
		t.Errorf("lines = %q", got)
	}
}
