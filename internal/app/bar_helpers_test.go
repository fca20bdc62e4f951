package app_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/auth"
	"gateway/internal/db"
)

// operation is one entry of the OpenAPI document.
type operation struct {
	method, path, component string
	stream, readOnly        bool // readOnly is a question whose method is POST
}

func (o operation) String() string { return o.method + " " + o.path }
func (o operation) mutates() bool  { return o.method != http.MethodGet }

// operations reads the document as a client would, so that an operation nobody thought of is tested too.
func operations(t *testing.T, a *apptest.App) []operation {
	t.Helper()
	text, err := a.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Tags      []string
			Responses map[string]any
			ReadOnly  bool `json:"x-gateway-read-only"`
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var ops []operation
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			op := doc.Paths[path][method]
			_, stream := op.Responses["101"]
			ops = append(ops, operation{strings.ToUpper(method), path, strings.Join(op.Tags, " "), stream, op.ReadOnly})
		}
	}
	if len(ops) == 0 {
		t.Fatal("the document has no operations")
	}
	return ops
}

// call is a request exactly as it goes over the wire: the target is neither cleaned nor escaped.
type call struct {
	method, target string
	header         http.Header
	body           string
}

// got is what came back.
type got struct {
	status int
	header http.Header
	body   []byte
}

// wire sends calls. Unlike apptest's clients it may be used by many goroutines at once.
type wire struct {
	t      testing.TB
	host   string
	client *http.Client
}

func newWire(t testing.TB, a *apptest.App) *wire {
	client := *a.Server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &wire{t: t, host: a.Server.Listener.Addr().String(), client: &client}
}

// alone is the same wire over a connection that nobody else uses.
func (w *wire) alone() *wire {
	client := *w.client
	transport := client.Transport.(*http.Transport).Clone()
	client.Transport = transport
	w.t.Cleanup(transport.CloseIdleConnections)
	return &wire{t: w.t, host: w.host, client: &client}
}

func (w *wire) do(c call) got {
	w.t.Helper()
	g, err := w.try(c)
	if err != nil {
		w.t.Fatalf("%s %s: %v", c.method, c.target, err)
	}
	return g
}

func (w *wire) try(c call) (got, error) {
	req, err := http.NewRequest(c.method, "https://"+w.host, strings.NewReader(c.body))
	if err != nil {
		return got{}, err
	}
	req.URL = &url.URL{Scheme: "https", Host: w.host, Opaque: c.target}
	if strings.HasPrefix(c.target, "//") { // would be taken for a host
		req.URL.Opaque, req.URL.Path = "", c.target
	}
	if c.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, c.header)
	res, err := w.client.Do(req)
	if err != nil {
		return got{}, err
	}
	defer res.Body.Close()
	g := got{status: res.StatusCode, header: res.Header}
	if res.StatusCode != http.StatusSwitchingProtocols { // an open WebSocket has no end to read to
		g.body, err = io.ReadAll(res.Body)
	}
	return g, err
}

// enveloped tells what keeps the answer from being the envelope; "" when nothing does.
func (g got) enveloped() string {
	var env map[string]json.RawMessage
	switch {
	case !strings.HasPrefix(g.header.Get("Content-Type"), "application/json"):
		return "is " + g.header.Get("Content-Type")
	case json.Unmarshal(g.body, &env) != nil || len(env) != 2 || env["data"] == nil || env["error"] == nil:
		return "is not {data, error}"
	case g.status < 400 && string(env["error"]) != "null":
		return "succeeds with an error"
	case g.status < 400:
		return ""
	}
	var e struct{ Code, Message string }
	if string(env["data"]) != "null" || json.Unmarshal(env["error"], &e) != nil || e.Code == "" || e.Message == "" {
		return "fails without an error, or with data"
	}
	return ""
}

func cookieHeader(session string) http.Header {
	return http.Header{"Cookie": {api.SessionCookie + "=" + session}}
}

func bearerHeader(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

// sessionOf is the header that a client's browser sends.
func sessionOf(c *apptest.Client) http.Header { return cookieHeader(c.Cookies[api.SessionCookie]) }

// stage is a process with an administrator who is not the setup store's, so that it survives what is done to that one.
type stage struct {
	*apptest.App
	t       *testing.T
	admin   *apptest.Client
	applier *fakeApplier
	made    int
	// configured are the tables of the configuration, where a test compares them.
	configured []string
}

func newStage(t *testing.T, options ...apptest.Option) *stage {
	t.Helper()
	s := &stage{t: t, applier: startApplier(t)}
	socket := func(c *app.Config) { c.ApplySocket = s.applier.socket }
	a, first := apptest.Ready(t, append(options, apptest.NoLimits, socket)...)
	s.App, s.admin = a, first
	_, s.admin = s.account("admin")
	return s
}

// account makes one more account with that role and signs it in.
func (s *stage) account(role string) (email string, session *apptest.Client) {
	s.t.Helper()
	s.made++
	email = fmt.Sprintf("u%d@example.com", s.made)
	s.admin.Post("/users", map[string]any{"email": email, "role": role, "password": apptest.Password}).Want(http.StatusCreated)
	return email, s.SignIn(email, apptest.Password)
}

// me is the id of the account behind a session.
func me(c *apptest.Client) string { return c.Get("/auth/me").Want(http.StatusOK).ID() }

// currentSession is the id of the session that asks.
func currentSession(t *testing.T, c *apptest.Client) string {
	t.Helper()
	var list []struct {
		ID      string
		Current bool
	}
	c.Get("/auth/sessions").Want(http.StatusOK).Data(&list)
	for _, s := range list {
		if s.Current {
			return s.ID
		}
	}
	t.Fatal("no session is the current one")
	return ""
}

// secondStep gives the password and returns the token for the second factor.
func secondStep(s *stage, email string) string {
	s.t.Helper()
	var step struct{ Token string }
	if !s.Anonymous().Login(email, apptest.Password).Want(http.StatusOK).Data(&step) || step.Token == "" {
		s.t.Fatalf("%s was not asked for a second factor", email)
	}
	return step.Token
}

func resetToken(s *stage) string {
	s.t.Helper()
	token, err := auth.CreateResetToken(s.Config.ResetToken(), s.Clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return token.Reveal()
}

// digest sums up everything the process keeps: each row of each table, its files, and
// what it asked of the applier. Only the times of last use are left out.
func (s *stage) digest() string {
	s.t.Helper()
	h := sha256.New()
	fmt.Fprintln(h, s.applier.acts.Load())
	s.hashTables(h)
	s.hashFiles(h)
	return hex.EncodeToString(h.Sum(nil))
}

func (s *stage) hashTables(w io.Writer) {
	s.t.Helper()
	var tables []string
	const named = `select coalesce(array_agg(format('%I', tablename) order by tablename), '{}') from pg_tables
		where schemaname = 'public' and tablename <> 'user_token_uses'`
	if err := s.Pool.QueryRow(context.Background(), named).Scan(&tables); err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintln(w, s.sums(tables, "last_seen"))
}

// sums hashes the rows of each table, but for some columns, in one query: there are many tables. Where a table has none
// of the columns, a row's own text does: making JSON of every row takes most of the time of a bar.
func (s *stage) sums(tables []string, without string) (sum string) {
	s.t.Helper()
	var partly []string
	const having = `select coalesce(array_agg(distinct format('%I', c.relname)), '{}') from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and a.attname = any($1)`
	if err := s.Pool.QueryRow(context.Background(), having, strings.Split(without, ",")).Scan(&partly); err != nil {
		s.t.Fatal(err)
	}
	parts := make([]string, len(tables))
	for i, table := range tables {
		row := "x::text"
		if slices.Contains(partly, table) {
			row = "(to_jsonb(x) - '{" + without + "}'::text[])::text"
		}
		parts[i] = fmt.Sprintf(`select '%[1]s ' || count(*) || ' ' || coalesce(sum(hashtextextended(%[2]s, 0)), 0) as sum from %[1]s x`, table, row)
	}
	query := `select string_agg(sum, ' ' order by sum) from (` + strings.Join(parts, " union all ") + `) all_of_them`
	if err := s.Pool.QueryRow(context.Background(), query).Scan(&sum); err != nil {
		s.t.Fatal(err)
	}
	return sum
}

func (s *stage) hashFiles(w io.Writer) {
	s.t.Helper()
	err := filepath.WalkDir(s.Config.StateDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(w, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// backup is one that was made, which nobody does here; its archive is none.
func (s *stage) backup() string {
	s.t.Helper()
	id, folder := db.NewID(), filepath.Join(s.Config.StateDir, "backups")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, id+".gwb"), []byte("an archive"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	const insert = `insert into backups (id, file, kind, status, host, version, started_at) values ($1::uuid, $1::text || '.gwb', 'manual', 'done', 'gw1', '0.1.0', now())`
	if _, err := s.Pool.Exec(context.Background(), insert, id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// fakeApplier stands for the privileged process: it does what it is asked, which is nothing, and counts.
type fakeApplier struct {
	socket string
	acts   atomic.Int64
}

func startApplier(t *testing.T) *fakeApplier {
	t.Helper()
	dir, err := os.MkdirTemp("", "gw") // a test's own folder makes too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeApplier{socket: filepath.Join(dir, "s")}
	l, err := net.Listen("unix", f.socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done; _ = os.RemoveAll(dir) })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f.answer(conn)
		}
	}()
	return f
}

func (f *fakeApplier) answer(conn net.Conn) {
	defer conn.Close()
	line, _ := bufio.NewReader(conn).ReadString('\n')
	out := `{}`
	if strings.Contains(line, `"do":"importable"`) {
		out = importable
	}
	if strings.Contains(line, `"service"`) || strings.Contains(line, `"verb":"component"`) && !looks.MatchString(line) {
		f.acts.Add(1)
	}
	fmt.Fprintf(conn, `{"loaded":true,"state":"live","states":[],"out":%s}`+"\n", out)
}

// looks are the questions that change nothing. Whoever looks for problems asks them now and then, and goes on for a
// moment when the request that made them look has ended.
var looks = regexp.MustCompile(`"do":"(connections|counters|importable|leases|log|sign-ins|stats|status|traffic|used)"`)

// Looking for problems is no act: it may fall between two digests.
func TestLookingIsNoAct(t *testing.T) {
	s := newStage(t)
	before := s.applier.acts.Load()
	s.admin.Get("/problems").Want(http.StatusOK)
	if after := s.applier.acts.Load(); after != before {
		t.Errorf("looking for problems is taken for %d acts", after-before)
	}
}

// importable is a file of wg-quick, so that an import has something to store.
const importable = `{"files":[{"name":"wg77","text":"[Interface]\nPrivateKey = MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\nListenPort = 51977\nAddress = 10.77.77.1/24\n"}]}`

// prepared are requests that would succeed, by operation: what would have to be refused
// must not be refused for another reason. Operations that are not here are sent {}.
type prepared struct {
	as   http.Header // the caller who may
	path string
	body any
}

// prepare makes whatever op needs to succeed once.
func (s *stage) prepare(op operation) (p prepared, ok bool) {
	s.t.Helper()
	email, actor := s.account("admin")
	ready, ok := ready(s.t)[op.String()]
	const nobody = "00000000-0000-7000-8000-0000000000ff"
	p = prepared{path: strings.NewReplacer("{id}", nobody, "{item}", nobody).Replace(op.path), body: map[string]any{}}
	if ok {
		var id string
		id, p.body = ready(s, email, actor)
		owner, item, _ := strings.Cut(id, "/") // the id of what belongs to another follows that of the other
		p.path = strings.NewReplacer("{id}", owner, "{item}", item).Replace(op.path)
	}
	p.as = sessionOf(actor) // last: getting ready may have renewed it
	return p, ok
}

// text is the body on the wire.
func (p prepared) text(t testing.TB) string {
	if p.body == nil {
		return ""
	}
	data, err := json.Marshal(p.body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type fields = map[string]any

// ready gets an operation ready for the account with that e-mail and session; it
// returns the id for the path and the body. Components bring theirs as samples; here and in
// the files beside are those that a sample cannot say.
func ready(t testing.TB) map[string]func(s *stage, email string, actor *apptest.Client) (id string, body any) {
	type client = *apptest.Client
	fixed := func(body any) func(*stage, string, client) (string, any) {
		return func(*stage, string, client) (string, any) { return "", body }
	}
	onUser := func(body any) func(*stage, string, client) (string, any) {
		return func(s *stage, _ string, _ client) (string, any) {
			_, victim := s.account("viewer")
			return me(victim), body
		}
	}
	all := map[string]func(*stage, string, client) (string, any){
		"POST /auth/login": func(_ *stage, email string, _ client) (string, any) {
			return "", fields{"email": email, "password": apptest.Password}
		},
		"POST /auth/login/totp": func(s *stage, email string, actor client) (string, any) {
			_, codes := actor.EnrolTOTP()
			return "", fields{"token": secondStep(s, email), "recovery_code": codes[0]}
		},
		"POST /auth/reset-password": func(s *stage, _ string, _ client) (string, any) {
			return "", fields{"token": resetToken(s), "new_password": apptest.Password}
		},
		"POST /auth/logout":          fixed(nil),
		"POST /auth/change-password": fixed(fields{"current_password": apptest.Password, "new_password": "another good password"}),
		"DELETE /auth/sessions/{id}": func(s *stage, email string, _ client) (string, any) {
			return currentSession(s.t, s.SignIn(email, apptest.Password)), nil
		},
		"POST /auth/tokens":  fixed(fields{"name": "forged", "role": "admin"}),
		"POST /auth/tickets": fixed(fields{"password": apptest.Password, "operation": "POST /users"}),
		"DELETE /auth/tokens/{id}": func(_ *stage, _ string, actor client) (string, any) {
			return actor.Post("/auth/tokens", fields{"name": "mine", "role": "viewer"}).Want(http.StatusCreated).ID(), nil
		},
		"POST /auth/totp/setup": fixed(fields{"password": apptest.Password}),
		"POST /auth/totp/enable": func(s *stage, _ string, actor client) (string, any) {
			var enrolment struct{ Secret string }
			actor.Post("/auth/totp/setup", fields{"password": apptest.Password}).Want(http.StatusOK).Data(&enrolment)
			return "", fields{"code": s.Code(enrolment.Secret)}
		},
		"POST /auth/totp/disable": func(_ *stage, _ string, actor client) (string, any) {
			actor.EnrolTOTP()
			return "", fields{"password": apptest.Password}
		},
		"POST /system/auto-update":     fixed(fields{"enabled": true}),
		"POST /system/ipv6":            fixed(fields{"enabled": false}),
		"POST /system/maintenance":     fixed(fields{"enabled": true}),
		"PUT /system/retention":        fixed(fields{"backups": 1, "audit_days": 1}),
		"POST /system/service-restart": fixed(fields{"service": "dns"}),
		"POST /system/service-toggle":  fixed(fields{"service": "waf", "on": false}),
		"POST /users":                  fixed(fields{"email": "forged@example.com", "role": "admin", "password": apptest.Password}),
		"PUT /users/{id}":              onUser(fields{"email": "renamed@example.com", "role": "admin"}),
		"DELETE /users/{id}":           onUser(nil),
		"GET /users/{id}":              onUser(nil),
		"GET /users/{id}/tokens":       onUser(nil),
		"DELETE /users/{id}/tokens/{item}": func(s *stage, _ string, _ client) (string, any) {
			_, victim := s.account("viewer")
			made := victim.Post("/auth/tokens", fields{"name": "theirs", "role": "viewer"}).Want(http.StatusCreated)
			return me(victim) + "/" + made.ID(), nil
		},
		"POST /users/{id}/password": onUser(fields{"password": "another good password"}),
		"POST /users/{id}/totp/disable": func(s *stage, _ string, _ client) (string, any) {
			_, victim := s.account("viewer")
			victim.EnrolTOTP()
			return me(victim), nil
		},
	}
	maps.Copy(all, configured())
	maps.Copy(all, published())
	maps.Copy(all, filtered())
	maps.Copy(all, sampled(t))
	maps.Copy(all, leased())
	maps.Copy(all, watched())
	maps.Copy(all, signedIn())
	all["POST /forward-proxy/acls/order"] = order("/forward-proxy/acls", func() fields {
		return fields{"action": "deny", "type": "domain", "value": unique() + ".example.com", "only_from": []string{}}
	})
	return all
}
