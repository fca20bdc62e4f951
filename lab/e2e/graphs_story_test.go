package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// measured are series of each area that can be read on a fresh node: gateway-scheduler reaches every
// daemon from its sandbox, through gateway-apply or by itself.
var measured = []string{"cpu.busy", "memory.used", "proxy.requests", "proxy.connections", "firewall.dropped", "dns.queries"}

// The installed product keeps what its services do, and tells Prometheus and the operator the same.
func TestStoryGraphs(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	begun := time.Now()
	var missing []string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); <-time.After(2 * time.Second) {
		var list []struct{ Name string }
		c.get("/graphs/series").want(200).decode(&list)
		missing = slices.DeleteFunc(slices.Clone(measured), func(name string) bool {
			return slices.ContainsFunc(list, func(one struct{ Name string }) bool { return one.Name == name })
		})
		if len(missing) == 0 {
			break
		}
	}
	if len(missing) > 0 {
		t.Errorf("after %v there are no values of %v", time.Since(begun).Round(time.Second), missing)
	}
	text := string(c.get("/metrics").want(200).body)
	for _, name := range []string{"gateway_proxy_requests_total ", "gateway_dns_queries_total ", "gateway_firewall_dropped_packets_total ", "gateway_interface_receive_bytes_total{"} {
		if !strings.Contains(text, "\n"+name) {
			t.Errorf("the metrics have no %s", name)
		}
	}
	var kept []struct {
		Name  string
		Bytes *int64
	}
	c.get("/system/kept").want(200).decode(&kept)
	for _, k := range kept {
		if k.Bytes == nil {
			t.Errorf("it is not known what %s takes", k.Name)
		}
	}
}
