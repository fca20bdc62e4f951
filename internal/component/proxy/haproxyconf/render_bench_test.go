package haproxyconf

import (
	"strings"
	"testing"

	"gateway/internal/daemon"
)

// fill stores domains, each with a pool and a server of its own, past the API.
func (r *rig) fill(n int) {
	r.T.Helper()
	const uuid = `lpad(to_hex($1::int * 0 + n), 32, '0')::uuid`
	r.Restore(`insert into proxy_backends (`+meta+`, name, scheme, lb_algorithm, websocket, force_http1, active, sticky, verify_tls, tls_server_name, health_check, health_path, health_host, health_interval, health_status)
		select `+uuid+`, 1, now(), now(), 'pool ' || n, 'http', 'roundrobin', false, false, true, false, false, '', false, '/', '', 5, 0 from generate_series(1, $1::int) n`, n)
	r.Restore(`insert into proxy_servers (`+meta+`, backend_id, name, proxy_name, address, port, weight, backup, active, drain)
		select `+uuid+`, 1, now(), now(), `+uuid+`, 'one', 'one', '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 80, 100, false, true, false from generate_series(1, $1::int) n`, n)
	r.Restore(`insert into proxy_domains (`+meta+`, `+domainColumns+`)
		select `+uuid+`, 1, now(), now(), 'd' || n || '.example.com', `+uuid+`, true, true, false, 0, false, false, 0, false, 0, 'off', '{}', '' from generate_series(1, $1::int) n`, n)
}

// BenchmarkRender10000 is what every change of a site costs, the query included.
func BenchmarkRender10000(b *testing.B) {
	r := newStore(b)
	r.fill(10_000)
	before := r.Rendered()
	if sites, pools := strings.Count(string(before.File(sitesMap)), "\n"), strings.Count(string(before.File(Path)), "\tserver one"); sites != 10_000 || pools != 10_000 {
		b.Fatalf("%d sites and %d pools", sites, pools)
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			r.Rendered()
		}
	})
	b.Run("load", func(b *testing.B) {
		known := newVersions()
		for b.Loop() {
			if _, err := load(b.Context(), r.Pool, known); err != nil {
				b.Fatal(err)
			}
		}
	})
	s, err := load(b.Context(), r.Pool, newVersions())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			render(s)
		}
	})
	for name, now := range differences(r, before) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, hot := newPlan(before, now); !hot {
					b.Fatal("needs a reload")
				}
			}
		})
	}
}

// differences are changes of one object, as renderings.
func differences(r *rig, before daemon.Rendering) map[string]daemon.Rendering {
	r.T.Helper()
	r.Restore(`update proxy_domains set maintenance = false, name = 'x' || name where name = 'd5000.example.com'`)
	site := r.Rendered()
	r.Restore(`update proxy_domains set name = 'd5000.example.com' where name = 'xd5000.example.com'`)
	r.Restore(`update proxy_servers set weight = 7 where address = '10.0.20.0'`)
	return map[string]daemon.Rendering{"nothing": before, "a domain": site, "a server": r.Rendered()}
}
