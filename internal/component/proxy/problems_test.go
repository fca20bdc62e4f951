package proxy

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"gateway/internal/apply"
	"gateway/internal/component/proxy/proxytest"
	"gateway/internal/daemon"
)

// published is a node's world: a domain with a login, a header and a routing rule, whose
// backend has two servers.
type published struct {
	proxytest.Client
	backend, server, domain, user, rule string
}

func newPublished(t *testing.T) *published {
	t.Helper()
	r := &published{Client: newRig(t)}
	made := func(path string, body object) string { return r.Do("POST", path, body).Want(http.StatusCreated).ID() }
	r.backend = made("/backends", object{"name": "shop"})
	r.server = made("/backends/"+r.backend+"/servers", object{"name": "web1", "address": "192.0.2.1", "port": 80})
	r.domain = made("/domains", object{"name": "shop.example.com", "backend_id": r.backend})
	r.user = made("/domains/"+r.domain+"/users", object{"name": "ann", "password": "correct horse"})
	r.rule = made("/routing-rules", object{"domain_id": r.domain, "path_prefix": "/api", "backend_id": r.backend, "priority": 1})
	return r
}

// rejects has the daemon of a component fail to apply what the function does.
func (r *published) rejects(component string, change func()) {
	r.T.Helper()
	ctx := r.T.Context()
	var seen []string
	if err := r.Pool.QueryRow(ctx, `select coalesce(array_agg(id::text), '{}') from changes`).Scan(&seen); err != nil {
		r.T.Fatal(err)
	}
	change()
	tag, err := r.Pool.Exec(ctx, `insert into change_applies (change_id, component, state)
		select id, $1, 'failed' from changes where id <> all($2::uuid[])`, component, seen)
	if err != nil || tag.RowsAffected() == 0 {
		r.T.Fatalf("%d changes: %v", tag.RowsAffected(), err)
	}
}

func TestWhatTheDaemonRejectedIsNotLive(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(r *published)
		unlive func(r *published) []string
	}{
		{
			"a server's new address", func(r *published) { r.Edit("/backend-servers/"+r.server, object{"address": "192.0.2.9"}).Want(200) },
			func(r *published) []string { return []string{r.server, r.backend} },
		},
		{
			"a server that was deleted still gets requests", func(r *published) { r.Do("DELETE", "/backend-servers/"+r.server, nil).Want(200) },
			func(r *published) []string { return []string{r.server, r.backend} },
		},
		{
			"a backend under another name", func(r *published) { r.Edit("/backends/"+r.backend, object{"name": "store"}).Want(200) },
			func(r *published) []string { return []string{r.backend} },
		},
		{
			"a login that was deleted still opens the domain", func(r *published) { r.Do("DELETE", "/domains/"+r.domain+"/users/"+r.user, nil).Want(200) },
			func(r *published) []string { return []string{r.domain} },
		},
		{
			"a routing rule that was deleted still leads away", func(r *published) { r.Do("DELETE", "/routing-rules/"+r.rule, nil).Want(200) },
			func(r *published) []string { return []string{r.domain} },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newPublished(t)
			r.rejects("proxy", func() { tc.change(r) })
			got, err := readUnlive(t.Context(), r.Pool)
			want := map[string]bool{}
			for _, id := range tc.unlive(r) {
				want[id] = true
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("not live is %v, %v, want %v", got, err, want)
			}
		})
	}
}

func TestACertificateThatIsNotAppliedIsKnownByItsNames(t *testing.T) {
	r := newPublished(t)
	r.rejects("cert", func() {
		r.Restore(`insert into change_rows (change_id, table_name, operation, old_row, new_row) values
			(current_setting('gateway.change_id')::uuid, 'certificates', 'UPDATE', '{"names": ["old.example.com"]}', '{"names": ["*.example.com"]}'),
			(current_setting('gateway.change_id')::uuid, 'certificates', 'DELETE', '{"names": ["gone.example.org"]}', null)`)
	})
	got, err := readStale(t.Context(), r.Pool)
	if err != nil || fmt.Sprint(got) != "map[*.example.com:true gone.example.org:true old.example.com:true]" {
		t.Errorf("stale names are %v, %v", got, err)
	}
}

// leaves is an engine that leaves some things out.
type leaves map[string][]string

func (l leaves) Ask(context.Context, string, string, any, any) error { return nil }

func (l leaves) States(context.Context) (all []apply.State, err error) {
	for component, subjects := range l {
		s := apply.State{Component: component}
		for _, subject := range subjects {
			s.Problems = append(s.Problems, daemon.Problem{Subject: subject})
		}
		all = append(all, s)
	}
	return all, nil
}

func TestWhatIsLeftOutOfTheFilesIsNotLive(t *testing.T) {
	for subject, unlive := range map[string]string{
		"domain shop.example.com":               "map[d1:true]",
		"a user of shop.example.com":            "map[d1:true]",
		"routing rule /api of shop.example.com": "map[d1:true]",
		"backend shop":                          "map[b1:true]",
		"server web1 of backend shop":           "map[b1:true s1:true]",
	} {
		w := newWard()
		s := &service{Options: Options{Applier: leaves{"proxy": {subject}}}}
		if err := s.leftOut(t.Context(), &w.rows); err != nil || fmt.Sprint(w.rows.unlive) != unlive {
			t.Errorf("%s: not live is %v, %v, want %s", subject, w.rows.unlive, err, unlive)
		}
	}
	w := newWard()
	s := &service{Options: Options{Applier: leaves{"cert": {"certificate shop.example.com"}}}}
	if err := s.leftOut(t.Context(), &w.rows); err != nil || !w.rows.stale["shop.example.com"] {
		t.Errorf("a certificate without a key: stale is %v, %v", w.rows.stale, err)
	}
}
