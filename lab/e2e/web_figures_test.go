package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gateway/tools/bar"
)

const (
	firstLoadLimit = 300_000 // bytes
	pageLimit      = 60_000
	paintLimit     = 1000.0 // milliseconds
	clickLimit     = 200.0
	rowsLimit      = 500.0
	frameLimit     = 100.0
)

// A bundler's name: what the file is, and eight letters of the hash of its content.
var hashedAsset = regexp.MustCompile(`^/assets/[\w.-]+-[\w-]{8}\.\w+ `)

// shows UI-01, UI-04
func TestBarWeb05FirstLoad(t *testing.T) {
	a := site(t)
	var out struct {
		Before, Page, Fonts, API       int
		Plain, Files, Paints           []string
		Pages                          map[string]int
		Paint, Interaction, FirstVisit float64
		Worst                          float64
		SameDocument                   bool
	}
	a.browse("load", a.accounts(), &out)
	if !out.SameDocument {
		t.Error("a click in the navigation loaded a document")
	}
	for _, f := range out.Files {
		if strings.HasPrefix(f, "/assets/") && !hashedAsset.MatchString(f) {
			t.Errorf("no hash in the name of %s", f)
		}
	}
	heaviest, most := "/sign-in", out.Page
	for path, size := range out.Pages {
		if size > most {
			heaviest, most = path, size
		}
	}
	t.Logf("first load: %s", strings.Join(out.Files, ", "))
	t.Logf("further pages: %v; first visits take %.0f ms at the median, the slowest click %.0f ms", out.Pages, out.FirstVisit, out.Worst)
	t.Logf("each first load: document/interactive/last script/paint in ms: %s", strings.Join(out.Paints, ", "))
	if len(out.Plain) > 0 {
		t.Errorf("not compressed: %v", out.Plain)
	}
	kB := func(n int) string { return fmt.Sprintf("%.0f kB", float64(n)/1000) }
	figure := fmt.Sprintf("%s before the first page (and %s of fonts), a page at most %s (%s), first paint %.0f ms, click %.0f ms",
		kB(out.Before), kB(out.Fonts), kB(most), heaviest, out.Paint, out.Interaction)
	bar.ReportTimed(t, "web", 5, figure, "<=300 kB, a page <=60 kB, first paint <=1000 ms, click <=200 ms",
		!t.Failed() && out.Before > 0 && out.Before <= firstLoadLimit && most <= pageLimit && out.Paint > 0 && out.Interaction > 0,
		out.Paint <= paintLimit && out.Interaction <= clickLimit)
}

const manyRows = 100_000

func TestBarWeb06LongLists(t *testing.T) {
	a := site(t)
	do := a.accounts()
	t.Cleanup(func() {
		a.tamper(`delete from audit_entries where node_id = '` + planted + `rows'; delete from audit_names where name like '` + planted + `%';
			delete from users where oidc_subject = '` + planted + `rows'; analyze users, audit_entries`)
	})
	a.tamper(fmt.Sprintf(`insert into users (id, revision, created_at, updated_at, email, role, active, password_hash, oidc_subject)
		select gen_random_uuid(), 1, now() - n * interval '1 minute', now(), 'person-' || lpad(n::text, 6, '0') || '@example.com',
			case when n %% 9 = 0 then 'admin' else 'viewer' end, n %% 7 > 0, '', '%srows' from generate_series(1, %d) n;
		insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, detail, hash)
		select gen_random_uuid(), '%[1]srows', n, now() - (%[2]d - n) * interval '10 seconds', 'person-' || n %% 50 || '@example.com',
			(array['user.create', 'user.update', 'auth.login.success', 'auth.login.failed', 'system.ipv6'])[1 + n %% 5],
			'person-' || n || '@example.com', json_build_object('n', n), '' from generate_series(1, %[2]d) n`, planted, manyRows))
	a.sql("gateway", "analyze users, audit_entries")
	type list struct {
		First, Worst, Frame float64
		Firsts, Worsts      []float64
		RowsAtEnd           int
	}
	var out struct {
		Users, Audit list
		Jump         float64
		Control      float64
	}
	a.browse("rows", do, &out)
	if out.Control <= frameLimit {
		t.Errorf("a scroll held up for 150 ms shows %.0f ms: nothing can be said about the others", out.Control)
	}
	t.Logf("users %+v; audit %+v; to the end of the users in %.0f ms", out.Users, out.Audit, out.Jump)
	first, worst := max(out.Users.First, out.Audit.First), max(out.Users.Worst, out.Audit.Worst)
	figure := fmt.Sprintf("first rows: users %.0f ms, audit %.0f ms; longest frame: users %.0f ms, audit %.0f ms; control %.0f ms",
		out.Users.First, out.Audit.First, out.Users.Worst, out.Audit.Worst, out.Control)
	bar.ReportTimed(t, "web", 6, figure, "first rows <=500 ms, frame <=100 ms",
		!t.Failed() && min(out.Users.First, out.Audit.First, out.Users.Worst, out.Audit.Worst) > 0, first <= rowsLimit && worst <= frameLimit)
}
