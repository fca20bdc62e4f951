package app_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/internal/secret"
	"gateway/tools/bar"
)

// Every operation of the document is called by everybody, in every spelling. What must
// come back is derived from the rule below and from nothing in the product.
//
// shows API-01, API-02, API-03, API-05, API-06, API-07*, API-08
func TestBarFoundation03AuthorisationMatrix(t *testing.T) {
	bar.NotShort(t)
	s := newStage(t)
	m := &matrix{stage: s, wire: newWire(t, s.App), callers: everybody(s)}
	for _, op := range operations(t, s.App) {
		m.run(op)
	}
	m.log(20)

	control := wrongMatrix(t)
	control.log(3)
	figure := fmt.Sprintf("%d of %d cells deviate (%d operations, %d callers), control %d of %d",
		len(m.deviations), m.cells, m.operations, len(m.callers), len(control.deviations), control.cells)
	bar.Report(t, "foundation", 3, figure, "0 deviate, control > 0", len(m.deviations) == 0 && len(control.deviations) > 0)
}

// publicOperations need no session. The list is written by hand: a new one is a decision.
var publicOperations = []string{
	"POST /auth/login", "POST /auth/login/totp", "POST /auth/reset-password", "GET /system/health",
	"GET /setup/status", "POST /setup/complete", "POST /setup/complete-node",
}

// rawOperations succeed with something else than the envelope.
var rawOperations = append([]string{"GET /diagnostics/capture/file", "GET /diagnostics/support-bundle", "GET /docs", "GET /metrics", "GET /openapi.json"}, downloads...)

// adminReads tell more than a viewer may know.
var adminReads = append([]string{"GET /alerts", "GET /alerts/{id}", "GET /backups/{id}/download", "GET /backups/{id}/preview", "GET /changes/{id}", "GET /diagnostics/capture", "GET /diagnostics/capture/file", "GET /diagnostics/support-bundle", "GET /users/{id}/tokens"}, downloads...)

// downloads hold the private key of a peer.
var downloads = []string{"GET /tunnel/peers/{id}/config", "GET /tunnel/peers/{id}/qr", "GET /peers/{id}/config", "GET /peers/{id}/qr"}

// may marks cells where only the gate is of interest: any answer but a refusal.
const may = 0

// verdict is the rule: what op must answer c.
func verdict(op operation, c caller) int {
	switch {
	case c.both:
		return http.StatusBadRequest
	case slices.Contains(publicOperations, op.String()):
		return may
	case !c.signedIn:
		return http.StatusUnauthorized
	case strings.HasPrefix(op.path, "/auth/"): // everybody's own account, but not by token
		return allowIf(!c.token || !op.mutates())
	case op.String() == "GET /metrics":
		return allowIf(c.admin || c.token)
	case slices.Contains(adminReads, op.String()):
		return allowIf(c.admin)
	}
	return allowIf(c.admin || !op.mutates())
}

func allowIf(ok bool) int {
	if ok {
		return may
	}
	return http.StatusForbidden
}

// caller is somebody with a credential, good or bad, and what the rule needs to know of them.
type caller struct {
	name                         string
	header                       http.Header
	signedIn, admin, token, both bool
	again                        func() http.Header // one more session of the same kind, for what ends it
}

// matrix counts cells and those that deviate from the rule.
type matrix struct {
	*stage
	wire       *wire
	callers    []caller
	cells      int
	tried      int // odd cells, those that were left out too
	operations int
	deviations []string
	all        []operation // of the product
}

func (m *matrix) log(most int) {
	for _, d := range m.deviations[:min(most, len(m.deviations))] {
		m.t.Log(d)
	}
}

func (m *matrix) deviate(format string, args ...any) {
	m.deviations = append(m.deviations, fmt.Sprintf(format, args...))
}

// run does the refused cells first: they carry a request that would succeed, and must leave no trace.
func (m *matrix) run(op operation) {
	m.operations++
	p, _ := m.prepare(op)
	body := p.text(m.t)
	before := m.digest()
	for _, c := range m.callers {
		if want := verdict(op, c); want != may {
			m.normal(op, c, p.path, body, want)
		}
		m.misspelt(op, c, p.path, body)
		m.otherMethods(op, c, p.path)
	}
	if m.digest() != before {
		m.deviate("%s changed something while it was refused to everybody", op)
	}
	m.allowed(op)
}

// allowed cells name what does not exist and send too little, so that nothing comes of them.
func (m *matrix) allowed(op operation) {
	path, body := strings.ReplaceAll(op.path, "{id}", "00000000-0000-7000-8000-0000000000ff"), ""
	if op.mutates() && op.method != http.MethodDelete {
		body = "{}"
	}
	for _, c := range m.callers {
		if verdict(op, c) != may {
			continue
		}
		if c.again != nil && op.String() == "POST /auth/logout" {
			c.header = c.again()
		}
		m.normal(op, c, path, body, may)
	}
}

// normal is the operation as the document spells it; a read also as HEAD, a stream also as one.
func (m *matrix) normal(op operation, c caller, path, body string, want int) {
	shots := []call{{method: op.method, target: api.Prefix + path, header: c.header, body: body}}
	if !op.mutates() {
		shots = append(shots, call{method: http.MethodHead, target: api.Prefix + path, header: c.header})
	}
	if op.stream {
		h := c.header.Clone()
		maps.Copy(h, upgrade)
		shots = append(shots, call{method: op.method, target: api.Prefix + path, header: h})
	}
	for _, shot := range shots {
		m.cells++
		g := m.wire.do(shot)
		if wrong := judge(op, shot, g, want); wrong != "" {
			m.deviate("%s %s as %s = %d, %s", shot.method, shot.target, c.name, g.status, wrong)
		}
	}
}

var upgrade = http.Header{
	"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
	"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
}

// judge tells what is wrong with an answer; "" when nothing is.
func judge(op operation, shot call, g got, want int) string {
	asked := g.status == http.StatusUnauthorized && bytes.Contains(g.body, []byte(`"password_required"`)) // whoever may do it
	refused := (g.status == http.StatusUnauthorized || g.status == http.StatusForbidden) && !asked
	raw := g.status < 300 && slices.Contains(rawOperations, op.String())
	switch {
	case want != may && g.status != want:
		return fmt.Sprintf("want %d", want)
	case want == may && (refused || g.status == http.StatusInternalServerError):
		return "want it done"
	case g.status/100 == 3 || g.status == http.StatusSwitchingProtocols && shot.header.Get("Upgrade") == "":
		return "want an answer"
	case shot.method == http.MethodHead || raw || g.status == http.StatusSwitchingProtocols:
		return ""
	}
	return g.enveloped()
}

// spellings are other ways to write a path that some part of a chain may take for the same.
var spellings = []struct {
	name  string
	spell func(path string) string
}{
	{"two slashes", func(p string) string { return api.Prefix + "/" + p }},
	{"a dot", func(p string) string { return api.Prefix + "/." + p }},
	{"an encoded dot", func(p string) string { return api.Prefix + "/%2e" + p }},
	{"two dots", func(p string) string { return api.Prefix + "/x/.." + p }},
	{"two encoded dots", func(p string) string { return api.Prefix + "/x/%2e%2e" + p }},
	{"two dots with a parameter", func(p string) string { return api.Prefix + "/x/..;" + p }},
	{"a slash behind", func(p string) string { return api.Prefix + p + "/" }},
	{"capitals", func(p string) string { return api.Prefix + strings.ToUpper(p) }},
	{"a parameter behind", func(p string) string { return api.Prefix + p + ";a=b" }},
	{"an encoded letter", func(p string) string { return api.Prefix + fmt.Sprintf("/%%%02x", p[1]) + p[2:] }},
	{"an encoded letter in the prefix", func(p string) string { return "/%61pi/v1" + p }},
	{"an encoded slash", func(p string) string { return api.Prefix + "%2f" + p[1:] }},
	{"a backslash", func(p string) string { return api.Prefix + `\` + p[1:] }},
	{"an encoded letter, encoded", func(p string) string { return api.Prefix + fmt.Sprintf("/%%25%02x", p[1]) + p[2:] }},
	{"encoded dots, encoded", func(p string) string { return api.Prefix + "/x/%252e%252e" + p }},
	{"NUL behind", func(p string) string { return api.Prefix + p + "%00" }},
}

// left says that this odd cell is left out. The gate tries every nineteenth: there are twenty-two
// of each operation and caller, so that an operation still meets all of them, by two or three callers each.
func (m *matrix) left() bool {
	m.tried++
	return m.tried%bar.GateSize(19, 1, 1) != 0
}

// misspelt paths lead nowhere, for anybody.
func (m *matrix) misspelt(op operation, c caller, path, body string) {
	for _, s := range spellings {
		if m.left() {
			continue
		}
		m.cells++
		g := m.wire.do(call{method: op.method, target: s.spell(path), header: c.header, body: body})
		nowhere := g.status == http.StatusNotFound || g.status == http.StatusBadRequest
		if wrong := g.enveloped(); !nowhere || wrong != "" {
			m.deviate("%s with %s as %s = %d %s", op, s.name, c.name, g.status, wrong)
		}
	}
	// These are not below /api, where there is the page of the UI and nothing else.
	for _, target := range []string{"/" + api.Prefix + path, strings.ToUpper(api.Prefix) + path} {
		if m.left() {
			continue
		}
		m.cells++
		g := m.wire.do(call{method: op.method, target: target, header: c.header, body: body})
		page := op.method == http.MethodGet && g.status == http.StatusOK && strings.HasPrefix(g.header.Get("Content-Type"), "text/html")
		if !page && g.status/100 != 4 {
			m.deviate("%s at %s as %s = %d", op, target, c.name, g.status)
		}
	}
}

// otherMethods of the same path, which no operation has, are answered but never done.
func (m *matrix) otherMethods(op operation, c caller, path string) {
	for _, method := range []string{http.MethodOptions, http.MethodPatch, http.MethodTrace, "PROPFIND"} {
		if m.left() || method == http.MethodPatch && m.patches(op) {
			continue
		}
		m.cells++
		g := m.wire.do(call{method: method, target: api.Prefix + path, header: c.header})
		if wrong := g.enveloped(); g.status != http.StatusMethodNotAllowed || wrong != "" {
			m.deviate("%s %s as %s = %d %s", method, path, c.name, g.status, wrong)
		}
	}
}

// patches reports whether some operation takes a PATCH of the path: /rules/order is also the
// rule called order.
func (m *matrix) patches(op operation) bool {
	if m.all == nil {
		m.all = operations(m.t, m.App)
	}
	return slices.ContainsFunc(m.all, func(o operation) bool {
		return o.method == http.MethodPatch && strings.HasPrefix(op.path, strings.TrimSuffix(o.path, "{id}"))
	})
}

// everybody makes one caller of each kind.
func everybody(s *stage) []caller {
	callers := slices.Concat(outdated(s), revoked(s), forged(s), live(s))
	s.Clock.Add(2 * time.Second) // what was revoked may be remembered for one; row 4 measures that
	for _, c := range callers {  // note the use of tokens now, not within a cell
		newWire(s.t, s.App).do(call{method: http.MethodGet, target: api.Prefix + "/auth/me", header: c.header})
	}
	return callers
}

// outdated credentials were good; the clock has moved on. It moves before anybody else signs in.
func outdated(s *stage) []caller {
	token := mintToken(s.admin, "short", "admin", 1)
	s.Clock.Add(25 * time.Hour)
	s.admin = s.SignIn(apptest.Email, apptest.Password)
	_, expired := s.account("admin")
	s.Clock.Add(7*time.Hour + 40*time.Minute)
	s.admin = s.SignIn(apptest.Email, apptest.Password)
	_, idle := s.account("admin")
	s.Clock.Add(31 * time.Minute)
	s.admin = s.SignIn(apptest.Email, apptest.Password)
	return []caller{
		{name: "an expired token", header: bearerHeader(token)},
		{name: "an expired session", header: sessionOf(expired)},
		{name: "an expired session as Bearer", header: bearerHeader(expired.Cookies[api.SessionCookie])},
		{name: "an idle session", header: sessionOf(idle)},
	}
}

// revoked credentials were good until somebody did something.
func revoked(s *stage) []caller {
	var callers []caller
	const kept, dead = "kept", "dead" // what becomes of the account's token
	for _, way := range []struct {
		name, token string
		act         func(email string, c *apptest.Client)
	}{
		{"a session logged out", kept, func(_ string, c *apptest.Client) { c.Copy().Post("/auth/logout", nil).Want(http.StatusOK) }},
		{"a session from before the password was changed", dead, func(_ string, c *apptest.Client) {
			c.Copy().Post("/auth/change-password", fields{"current_password": apptest.Password, "new_password": "another good password"}).Want(http.StatusOK)
		}},
		{"a demoted admin", dead, func(email string, c *apptest.Client) {
			s.admin.Put("/users/"+me(c), fields{"email": email, "role": "viewer"}).Want(http.StatusOK)
		}},
		{"a deactivated admin", dead, func(email string, c *apptest.Client) {
			s.admin.Put("/users/"+me(c), fields{"email": email, "role": "admin", "active": false}).Want(http.StatusOK)
		}},
		{"a deleted admin", dead, func(_ string, c *apptest.Client) { s.admin.Delete("/users/" + me(c)).Want(http.StatusOK) }},
	} {
		email, c := s.account("admin")
		token := mintToken(c, "mine", "admin", 90)
		way.act(email, c)
		alive := way.token != dead
		callers = append(callers,
			caller{name: way.name, header: sessionOf(c)},
			caller{name: "the token of " + way.name, header: bearerHeader(token), signedIn: alive, token: alive, admin: way.token == kept})
	}
	made := s.admin.Post("/auth/tokens", fields{"name": "revoked", "role": "admin"}).Want(http.StatusCreated)
	var token struct{ Token string }
	made.Data(&token)
	s.admin.Delete("/auth/tokens/" + made.ID()).Want(http.StatusOK)
	return append(callers, caller{name: "a revoked token", header: bearerHeader(token.Token)})
}

// forged credentials were never good.
func forged(s *stage) []caller {
	real := s.admin.Cookies[api.SessionCookie]
	key, err := secret.RandomFile(filepath.Join(s.Config.StateDir, "jwt.secret"), 32)
	if err != nil {
		s.t.Fatal(err)
	}
	email, owner := s.account("admin")
	owner.EnrolTOTP()
	callers := []caller{{name: "nobody", header: http.Header{}}}
	for name, value := range map[string]string{
		"MFA-pending":        secondStep(s, email),
		"device cookie":      s.admin.Cookies[api.DeviceCookie],
		"alg none":           resign(s.t, real, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"wrong key":          resign(s.t, real, jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32)), nil),
		"wrong algorithm":    resign(s.t, real, jwt.SigningMethodHS512, key, nil),
		"wrong audience":     resign(s.t, real, jwt.SigningMethodHS256, key, jwt.MapClaims{"aud": "elsewhere"}),
		"another's sid":      resign(s.t, real, jwt.SigningMethodHS256, key, jwt.MapClaims{"sub": me(owner)}),
		"a later epoch":      resign(s.t, real, jwt.SigningMethodHS256, key, jwt.MapClaims{"epoch": 9}),
		"noise":              "gwt_noise",
		"an unknown token":   "gwt_" + strings.Repeat("A", 43),
		"a session, clipped": real[:len(real)-2],
	} {
		callers = append(callers,
			caller{name: name + " as cookie", header: cookieHeader(value)},
			caller{name: name + " as Bearer", header: bearerHeader(value)})
	}
	// The real key and the real claims do sign in: it is what was changed that is refused.
	proof := cookieHeader(resign(s.t, real, jwt.SigningMethodHS256, key, nil))
	if g := newWire(s.t, s.App).do(call{method: http.MethodGet, target: api.Prefix + "/auth/me", header: proof}); g.status != http.StatusOK {
		s.t.Fatalf("a session signed anew = %d, want 200", g.status)
	}
	return callers
}

// resign makes another token of the claims and the header of a real one.
func resign(t *testing.T, token string, method jwt.SigningMethod, key any, changed jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser().ParseUnverified(token, claims)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(claims, changed)
	out := jwt.NewWithClaims(method, claims)
	out.Header["typ"] = parsed.Header["typ"]
	signed, err := out.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// live credentials are good.
func live(s *stage) []caller {
	var callers []caller
	for _, role := range []string{"viewer", "admin"} {
		email, c := s.account(role)
		again := func() string { return s.SignIn(email, apptest.Password).Cookies[api.SessionCookie] }
		rights := caller{signedIn: true, admin: role == "admin"}

		cookie, bearer, token := rights, rights, rights
		cookie.name, cookie.header = role, sessionOf(c)
		cookie.again = func() http.Header { return cookieHeader(again()) }
		bearer.name, bearer.header = role+"'s session as Bearer", bearerHeader(again())
		bearer.again = func() http.Header { return bearerHeader(again()) }
		token.name, token.header, token.token = role+"'s token", bearerHeader(mintToken(c, "own", role, 90)), true
		lesser := caller{name: role + "'s viewer token", header: bearerHeader(mintToken(c, "lesser", "viewer", 90)), signedIn: true, token: true}

		both := caller{name: role + " with cookie and token", header: token.header.Clone(), both: true}
		maps.Copy(both.header, cookie.header)
		callers = append(callers, cookie, bearer, token, lesser, both)
	}
	return callers
}

func mintToken(c *apptest.Client, name, role string, days int) string {
	var made struct{ Token string }
	c.Post("/auth/tokens", fields{"name": name, "role": role, "days": days}).Want(http.StatusCreated).Data(&made)
	return made.Token
}

// wrongMatrix is the control: a component that opens to everybody what the rule does not
// is found out, by the answers and by what it stores; the one operation it declares as it should is not.
func wrongMatrix(t *testing.T) *matrix {
	t.Helper()
	s := newStage(t, apptest.With(toy))
	m := &matrix{stage: s, wire: newWire(t, s.App), callers: everybody(s)}
	for _, op := range operations(t, s.App) {
		found := len(m.deviations)
		switch op.path {
		case "/toy/right":
			if m.run(op); len(m.deviations) != found {
				t.Errorf("an operation declared by the rule deviates: %v", m.deviations[found:])
			}
		case "/toy/knob", "/toy/secrets":
			if m.run(op); len(m.deviations) == found {
				t.Errorf("%s is open to everybody and was not found out", op)
			}
		}
	}
	if !slices.ContainsFunc(m.deviations, func(d string) bool { return strings.Contains(d, "changed something") }) {
		t.Error("what the knob stored was not found out")
	}
	return m
}

func toy(d all.Deps) []component.Component {
	turn := func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		c := change.Change{Component: "toy", Action: "toy.turn", Subject: "knob", Actor: "toy"}
		return api.Done(), d.Run.Run(ctx, c, func(change.Tx) error { return nil })
	}
	look := func(context.Context, *struct{}) (*api.Body[*api.None], error) { return api.Done(), nil }
	return []component.Component{{Name: "toy", Routes: func(r api.Router) {
		api.Handle(r, api.Op{ID: "toy-knob", Method: http.MethodPost, Path: "/toy/knob", Access: api.Public}, turn)
		api.Handle(r, api.Op{ID: "toy-secrets", Method: http.MethodGet, Path: "/toy/secrets", Access: api.Public}, look)
		api.Handle(r, api.Op{ID: "toy-right", Method: http.MethodPost, Path: "/toy/right"}, look)
	}}}
}
