package haproxyconf

import (
	"fmt"
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/tools/bar"
)

// shows T22
func TestBarProxy09(t *testing.T) {
	bar.NotShort(t)
	n := bar.GateSize(100, 500, 20_000)
	f := fuzz(t, n)
	named, served, broke := restored(t)
	figure := fmt.Sprintf("%v; of %d broken objects brought in by a restore %d were named and 0 took another site with them; as they are, %d of them broke out or stopped HAProxy",
		f, len(brokenRows), named, broke)
	ok := !t.Failed() && named == len(brokenRows) && served && broke == len(brokenRows)
	bar.Report(t, "proxy", 9, figure, fmt.Sprintf("0 bad of %d; each broken object named, every other site served", n), ok)
}

// brokenRow is one that the API would not take.
type brokenRow struct {
	name string
	sql  string // $1 is the good backend, $2 the good domain, $3 the tcp backend
	// What the problem is about.
	subject string
	// spoil writes the row into good files as it is.
	spoil func(w *mixed) daemon.Rendering
	// broken says whether that did harm, once HAProxy was given it.
	broken func(w *mixed, refused bool) bool
}

const meta = `id, revision, created_at, updated_at`

const metaValues = `gen_random_uuid(), 1, now(), now()`

const domainColumns = `name, backend_id, active, http_to_https, disable_h3, hsts_max_age, hsts_subdomains, hsts_preload, rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes`

// brokenRows are what a restore could bring in: rows of another version, or of somebody who
// had the archive in his hands.
var brokenRows = []brokenRow{
	{
		name: "a domain on two lines", subject: "domain broken.example.com\nstolen.example.com",
		sql: `insert into proxy_domains (` + meta + `, ` + domainColumns + `) select ` + metaValues + `, e'broken.example.com\nstolen.example.com', $1::uuid, true, true, false, 0, false, false, 0, false, 0, 'off', '{}', ''
			where $2::uuid is not null and $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			return w.add(sitesMap, "broken.example.com\nstolen.example.com "+site{ID: id(1), HTTPS: true}.record(number(w.pool), false, false)+"\n")
		},
		broken: func(w *mixed, _ bool) bool { return w.leads("https://stolen.example.com/") == "one" },
	},
	{
		name: "a header on two lines", subject: `header "X-Evil" of good.example.com`,
		sql: `insert into proxy_headers (` + meta + `, domain_id, name, value) select ` + metaValues + `, $2::uuid, 'X-Evil', e'a\r\n' || $1 || ' b' where $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			return w.add(mapsDir+"header-x-note.map", w.domain+" a\r\n"+id(7)+" b\n")
		},
		broken: func(w *mixed, _ bool) bool {
			values, err := w.haproxy.Runtime.MapGet(w.T.Context(), mapsDir+"header-x-note.map", id(7))
			return err == nil && values[0] != ""
		},
	},
	{
		name: "a server that is a socket", subject: "server socket of backend web",
		sql: `insert into proxy_servers (` + meta + `, backend_id, name, proxy_name, address, port, weight, backup, active, drain)
			select ` + metaValues + `, $1::uuid, 'socket', 'socket', '/run/haproxy/admin.sock', 80, 1, false, true, false where $2::uuid is not null and $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			m := member{Name: "socket", Address: "/run/haproxy/admin.sock", Port: 80, Weight: 1, Active: true}
			return w.add(Path, "\nbackend gateway_backend_"+id(9)+"\n\tserver "+m.line("")+"\n")
		},
		broken: func(w *mixed, refused bool) bool {
			all, err := w.haproxy.Runtime.ServersOf(w.T.Context(), section(id(9)))
			return refused || err == nil && len(all) == 1 && !all[0].Addr.Addr().IsValid()
		},
	},
	{
		name: "a server with more words", subject: "server more of backend web",
		sql: `insert into proxy_servers (` + meta + `, backend_id, name, proxy_name, address, port, weight, backup, active, drain)
			select ` + metaValues + `, $1::uuid, 'more', 'more', '127.0.0.1:80 source 0.0.0.0 track', 80, 1, false, true, false where $2::uuid is not null and $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			m := member{Name: "more", Address: "127.0.0.1:80 source 0.0.0.0 track", Port: 80, Weight: 1, Active: true}
			return w.add(Path, "\nbackend gateway_backend_"+id(9)+"\n\tserver "+m.line("")+"\n")
		},
		broken: func(w *mixed, refused bool) bool { return refused },
	},
	{
		name: "a rule whose path has a space", subject: "routing rule /bad gateway_unknown of good.example.com",
		sql: `insert into proxy_rules (` + meta + `, domain_id, path_prefix, backend_id, priority, active) select ` + metaValues + `, $2::uuid, '/bad gateway_unknown', $1::uuid, 1, true
			where $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			return w.add(routesMap, w.domain+"/bad gateway_unknown "+number(w.pool)+"\n")
		},
		broken: func(w *mixed, _ bool) bool { return w.leads("https://good.example.com/bad/") != "one" },
	},
	{
		name: "a TCP service on a port that is taken", subject: "TCP service taken",
		sql: `insert into proxy_ports (` + meta + `, name, port, backend_id, allow_from, active) select ` + metaValues + `, 'taken', 8080, $3::uuid, '{}', true where $1::uuid is not null and $2::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			return w.add(Path, "\nfrontend gateway_tcp_8080\n\tmode tcp\n\tbind 0.0.0.0:8080\n\tdefault_backend "+section(w.tcp)+"\n")
		},
		// The port is the management service's: while that restarts, HAProxy would take it.
		broken: func(w *mixed, refused bool) bool {
			stats, err := w.haproxy.Runtime.Stats(w.T.Context())
			return refused || err == nil && strings.Contains(fmt.Sprint(stats), "gateway_tcp_8080")
		},
	},
	{
		name: "a backend whose check goes on", subject: "backend evil",
		sql: `insert into proxy_backends (` + meta + `, name, scheme, lb_algorithm, websocket, force_http1, active, sticky, verify_tls, tls_server_name, health_check, health_path, health_host, health_interval, health_status)
			select ` + metaValues + `, 'evil', 'https', 'roundrobin', false, false, true, false, false, 'a) if TRUE', true, '/', '', 5, 0 where $1::uuid is not null and $2::uuid is not null and $3::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			var b strings.Builder
			evil := web(9)
			evil.Scheme, evil.TLSName = "https", "a) if TRUE"
			r := &rendering{state: state{servers: members(at(9, "x", "192.0.2.1"))}, sections: map[string]string{id(9): number(id(9))}}
			r.pool(&b, evil)
			return w.add(Path, "\n"+b.String())
		},
		broken: func(w *mixed, refused bool) bool { return refused },
	},
	{
		name: "a site behind a backend for tcp", subject: "domain tcp.example.com",
		sql: `insert into proxy_domains (` + meta + `, ` + domainColumns + `) select ` + metaValues + `, 'tcp.example.com', $3::uuid, true, true, false, 0, false, false, 0, false, 0, 'off', '{}', ''
			where $1::uuid is not null and $2::uuid is not null`,
		spoil: func(w *mixed) daemon.Rendering {
			return w.add(sitesMap, "tcp.example.com "+site{ID: id(1), HTTPS: true}.record(number(w.tcp), false, false)+"\n")
		},
		broken: func(w *mixed, _ bool) bool {
			res, err := w.try("https://tcp.example.com/")
			return err != nil || read(w.T, res).status != 503
		},
	},
}

// mixed is a rig with sites that are well, among others that are not.
type mixed struct {
	*rig
	pool, tcp, domain string
}

func newMixed(t *testing.T) *mixed {
	t.Helper()
	w := &mixed{rig: newRig(t)}
	one := newOrigin(t, "one")
	w.pool, w.tcp = w.Backend("web"), w.Backend("mail", object{"scheme": "tcp"})
	w.Server(w.pool, "one", one.at)
	w.Server(w.tcp, "one", one.at)
	w.domain = w.Site("good.example.com", w.pool)
	w.Site("*.wild.example.com", w.pool)
	w.Do("POST", "/domains/"+w.domain+"/headers", object{"name": "X-Note", "value": "well"}).Want(201)
	w.Rule(w.domain, "/api", w.pool, 10)
	w.Do("POST", "/tcp-services", object{"name": "mail", "port": 993, "backend_id": w.tcp}).Want(201)
	return w
}

// well reports whether every good site is served.
func (w *mixed) well(t *testing.T) bool {
	t.Helper()
	ok := true
	for address, want := range map[string]string{
		"https://good.example.com/": "one", "https://good.example.com/api/x": "one", "https://a.wild.example.com/": "one", "http://" + w.at + ":993/": "one",
	} {
		if got := w.leads(address); got != want {
			t.Errorf("%s leads to %s, want %s", address, got, want)
			ok = false
		}
	}
	if got := w.get("https://good.example.com/").header.Get("X-Note"); got != "well" {
		t.Errorf("X-Note: %q", got)
		ok = false
	}
	return ok
}

// add is the installed files with one of them longer.
func (w *mixed) add(path, text string) daemon.Rendering {
	var out daemon.Rendering
	for _, f := range w.Installed.Files {
		if f.Path == path {
			f.Data = append([]byte(strings.TrimSuffix(string(f.Data), "\n")+"\n"), text...)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// restored brings broken rows in, all at once, and has HAProxy run on what is made of them;
// then, for comparison, on what they would be as they are.
func restored(t *testing.T) (named int, served bool, broke int) {
	t.Helper()
	w := newMixed(t)
	for _, row := range brokenRows {
		w.Restore(row.sql, w.pool, w.domain, w.tcp)
	}
	if came := w.Sync(); came.State != "live" {
		t.Errorf("with broken rows: %+v", came)
	}
	w.holds(t)
	served = w.well(t)
	for _, row := range brokenRows {
		found := 0
		for _, p := range w.Installed.Problems {
			if p.Subject == row.subject && p.Message != "" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s is named %d times in %+v", row.name, found, w.Installed.Problems)
			continue
		}
		named++
	}
	if len(w.Installed.Problems) != len(brokenRows) {
		t.Errorf("%d problems for %d rows: %+v", len(w.Installed.Problems), len(brokenRows), w.Installed.Problems)
	}
	return named, served, control(t)
}

// put has HAProxy find other files, past the engine.
func (w *mixed) put(old, now daemon.Rendering) {
	w.haproxy.Install(old, now)
	w.configure(now)
}

// control gives HAProxy each row as it is.
func control(t *testing.T) (broke int) {
	t.Helper()
	w := newMixed(t)
	good := w.Installed
	for _, row := range brokenRows {
		spoiled := row.spoil(w)
		w.put(good, spoiled)
		refused := w.adapter.reload(t.Context()) != nil
		if row.broken(w, refused) {
			broke++
		} else {
			t.Errorf("%s does no harm as it is", row.name)
		}
		w.put(spoiled, good)
		if err := w.adapter.reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return broke
}
