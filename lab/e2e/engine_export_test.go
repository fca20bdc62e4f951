package e2e

import (
	"fmt"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// rowsOf prints what was configured, without what every write sets anew.
const rowsOf = `select coalesce(string_agg(line, E'\n' order by line), '') from (
	select 'zone ' || (to_jsonb(z) - '{id,revision,created_at,updated_at}'::text[])::text as line from dns_zones z
	union all select 'record ' || z.name || (to_jsonb(r) - '{id,zone_id,revision,created_at,updated_at}'::text[])::text from dns_records r join dns_zones z on z.id = r.zone_id
	union all select 'dns ' || (to_jsonb(s) - '{id,revision,created_at,updated_at}'::text[])::text from dns_settings s
	union all select 'pool ' || (to_jsonb(p) - '{id,revision,created_at,updated_at}'::text[])::text from ntp_pools p
	union all select 'ntp ' || (to_jsonb(s) - '{id,revision,created_at,updated_at}'::text[])::text from ntp_settings s) x`

func TestBarEngine09Export(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	zone := c.post("/dns/zones", object{"name": "export.arpa", "forward_to": []string{"192.0.2.53@5353"}}).want(201).id()
	for i := range 200 {
		c.post("/dns/records", object{"zone_id": zone, "name": fmt.Sprintf("n%d", i), "type": "TXT", "value": fmt.Sprintf(`say "%d": yes`, i)}).want(201)
	}
	c.post("/ntp/pools", object{"kind": "server", "address": "192.0.2.99", "minpoll": 4, "maxpoll": 6, "prefer": true}).want(201)
	files := func() string { return a.run("sha256sum", dnsFile, ntpFile) }
	rows, was := a.sql("gateway", rowsOf), files()
	doc := a.sh("gateway-ctl export >/root/config.yaml && wc -l </root/config.yaml")
	a.lab.Must(a.node.WriteFile("/root/empty.yaml", []byte("dns: {zones: [], records: []}\nntp: {pools: []}\n"), 0o600))
	a.run("gateway-ctl", "apply", "/root/empty.yaml", "--reason", "wipe")
	wiped := files() != was && a.sql("gateway", rowsOf) != rows
	if out := a.run("gateway-ctl", "apply", "/root/config.yaml", "--dry-run"); !strings.Contains(out, "+ dns zones export.arpa") || !strings.Contains(out, "+\tlocal-data:") {
		t.Errorf("the plan reads %.400s", out)
	}
	a.run("gateway-ctl", "apply", "/root/config.yaml")
	a.settles(c, patience)
	sameRows, sameFiles := a.sql("gateway", rowsOf) == rows, files() == was
	changes := a.sql("gateway", "select count(*) from changes")
	again := a.run("gateway-ctl", "apply", "/root/config.yaml")
	idle := strings.HasSuffix(again, "0 to add, 0 to change, 0 to remove") && a.sql("gateway", "select count(*) from changes") == changes
	figure := fmt.Sprintf("%s lines; wiped %v, same rows %v, same files %v, a second apply changes nothing %v", strings.TrimSpace(doc), wiped, sameRows, sameFiles, idle)
	bar.Report(t, "engine", 9, figure, "same rows and files, nothing the second time", !t.Failed() && wiped && sameRows && sameFiles && idle)
}
