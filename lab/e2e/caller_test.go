package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pquerna/otp/hotp"
)

const (
	apiPrefix     = "/api/v1"
	sessionCookie = "__Host-gateway_session"
)

// caller is one user agent at the client's place in the network, with its own cookies.
type caller struct {
	t       *testing.T
	base    string // https://10.99.1.11:3443
	http    *http.Client
	cookies map[string]string
	header  http.Header
	own     string      // its password, for what needs it once more
	heard   *transcript // what was answered, for the stories that look for secrets
}

// stranger is a caller that never signed in.
func (a *appliance) stranger() *caller {
	transport := &http.Transport{
		DialContext: a.client.DialContext,
		// The certificate is the node's own and self-signed.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true, // as browsers do
	}
	a.t.Cleanup(transport.CloseIdleConnections)
	return &caller{
		t: a.t, base: "https://" + a.node.IP().String() + ":3443", cookies: map[string]string{}, header: http.Header{},
		http: &http.Client{
			Transport: transport, Timeout: time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// signedIn is a caller with a session by password alone.
func (a *appliance) signedIn(who account) *caller {
	a.t.Helper()
	c := a.stranger()
	c.login(who).want(200)
	return c
}

// copy is the same caller with cookies of its own, for use beside it.
func (c *caller) copy() *caller {
	out := *c
	out.cookies, out.header = maps.Clone(c.cookies), c.header.Clone()
	return &out
}

// bearer is a caller with a token and no cookies.
func (c *caller) bearer(token string) *caller {
	out := c.copy()
	clear(out.cookies)
	out.header.Set("Authorization", "Bearer "+token)
	return out
}

func (c *caller) login(who account) *answer {
	c.t.Helper()
	r := c.post("/auth/login", map[string]any{"email": who.email, "password": who.password})
	if r.status == http.StatusOK {
		c.own = who.password
	}
	return r
}

func (c *caller) get(path string) *answer { c.t.Helper(); return c.do("GET", path, nil) }
func (c *caller) post(path string, body any) *answer {
	c.t.Helper()
	return c.do("POST", path, body)
}

func (c *caller) put(path string, body any) *answer {
	c.t.Helper()
	return c.do("PUT", path, body)
}

// do calls an operation below the API's prefix and has to be answered.
func (c *caller) do(method, path string, body any) *answer {
	c.t.Helper()
	r, err := c.try(method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// try is do for when the connection may break. A string is sent as it is.
func (c *caller) try(method, path string, body any) (*answer, error) {
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			return nil, err
		}
	}
	r, err := c.request(method, path, data, "")
	if err != nil || r.status != http.StatusUnauthorized || r.code() != "password_required" || c.own == "" {
		return r, err
	}
	where, _, _ := strings.Cut(path, "?")
	ticket, err := c.try("POST", "/auth/tickets", map[string]any{"password": c.own, "operation": method + " " + where})
	if err != nil {
		return nil, err
	}
	var got struct{ Ticket string }
	if !ticket.decode(&got) {
		return r, nil
	}
	return c.request(method, path, data, got.Ticket)
}

// request sends one request, with a ticket where the password was asked for.
func (c *caller) request(method, path string, data []byte, ticket string) (*answer, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+apiPrefix+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if ticket != "" {
		req.Header.Set("Gateway-Ticket", ticket)
	}
	return c.send(req)
}

func (c *caller) send(req *http.Request) (*answer, error) {
	maps.Copy(req.Header, c.header)
	for name, value := range c.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	began := time.Now()
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	r := &answer{t: c.t, what: req.Method + " " + req.URL.Path, status: res.StatusCode, header: res.Header}
	if r.body, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	r.took = time.Since(began)
	for _, cookie := range res.Cookies() {
		c.cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(c.cookies, cookie.Name)
		}
	}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			r.sent, _ = io.ReadAll(body) // from memory
		}
	}
	c.heard.add(r)
	return r, nil
}

// page fetches something outside of the API.
func (c *caller) page(path string) *answer {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), "GET", c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := c.send(req)
	if err != nil {
		c.t.Fatalf("GET %s: %v", path, err)
	}
	return r
}

// answer is what came back.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
	sent   []byte // the request's body
	took   time.Duration
}

func (r *answer) String() string {
	if r == nil {
		return "no answer"
	}
	return fmt.Sprintf("%d %s", r.status, bytes.TrimSpace(r.body))
}

type envelope struct {
	Data  json.RawMessage
	Error *struct{ Code, Message string }
}

// envelope is the body as the API words every answer.
func (r *answer) envelope() (envelope, error) {
	var e envelope
	if kind := r.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return e, fmt.Errorf("%s answered %d as %q: %s", r.what, r.status, kind, r.body)
	}
	if err := json.Unmarshal(r.body, &e); err != nil {
		return e, fmt.Errorf("%s answered %d: %w: %s", r.what, r.status, err, r.body)
	}
	if (e.Error == nil) != (r.status < 400) {
		return e, fmt.Errorf("%s answered %d with %s", r.what, r.status, r.body)
	}
	return e, nil
}

func (r *answer) code() string {
	if e, err := r.envelope(); err == nil && e.Error != nil {
		return e.Error.Code
	}
	return ""
}

// want fails the test when the status is another one.
func (r *answer) want(status int) *answer {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s = %d %s, want %d", r.what, r.status, bytes.TrimSpace(r.body), status)
	}
	return r
}

// wantCode is want, and holds the error code too.
func (r *answer) wantCode(status int, code string) *answer {
	r.t.Helper()
	if r.want(status); r.code() != code {
		r.t.Fatalf("%s = %s, want code %q", r.what, bytes.TrimSpace(r.body), code)
	}
	return r
}

func (r *answer) decode(v any) bool {
	e, err := r.envelope()
	return err == nil && json.Unmarshal(e.Data, v) == nil
}

// data decodes what a successful answer carries.
func data[T any](r *answer) T {
	r.t.Helper()
	var v T
	if !r.want(max(200, min(r.status, 201))).decode(&v) {
		r.t.Fatalf("%s answered %s, which is no %T", r.what, r.body, v)
	}
	return v
}

// auditEntry is an entry of the log, as far as stories look at it.
type auditEntry struct {
	Actor, Action, Subject string
	NodeID                 string `json:"node_id"`
	Seq                    int64
}

// live is an open /audit/live.
type live struct {
	t    *testing.T
	conn *websocket.Conn
	raw  []byte // all that was received
}

// watch opens /audit/live as this caller.
func (c *caller) watch() *live {
	c.t.Helper()
	return &live{t: c.t, conn: c.socket("/audit/live", nil)}
}

// socket opens a WebSocket as this caller; dial is how it connects, if not as usual.
func (c *caller) socket(path string, pinged func(), dial ...func(ctx context.Context, network, addr string) (net.Conn, error)) *websocket.Conn {
	c.t.Helper()
	h := c.header.Clone()
	for name, value := range c.cookies {
		h.Add("Cookie", name+"="+value)
	}
	transport := c.http.Transport.(*http.Transport).Clone()
	transport.ForceAttemptHTTP2, transport.TLSClientConfig.NextProtos = false, nil // a WebSocket begins as HTTP/1.1
	for _, d := range dial {
		transport.DialContext = d
	}
	o := &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}, HTTPHeader: h}
	if pinged != nil {
		o.OnPingReceived = func(context.Context, []byte) bool { pinged(); return true }
	}
	conn, _, err := websocket.Dial(c.t.Context(), c.base+apiPrefix+path, o)
	if err != nil {
		c.t.Fatalf("open %s: %v", path, err)
	}
	conn.SetReadLimit(1 << 20)
	c.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// next is the next entry, or an error when none comes in time.
func (l *live) next(within time.Duration) (auditEntry, error) {
	ctx, cancel := context.WithTimeout(l.t.Context(), within)
	defer cancel()
	var e auditEntry
	_, msg, err := l.conn.Read(ctx)
	if err == nil {
		l.raw = append(l.raw, msg...)
		err = json.Unmarshal(msg, &e)
	}
	return e, err
}

// until waits for an entry, whatever comes before it.
func (l *live) until(actor, action, subject string) auditEntry {
	l.t.Helper()
	for {
		e, err := l.next(patience)
		if err != nil {
			l.t.Fatalf("/audit/live did not show %s %s %s: %v", actor, action, subject, err)
		}
		if e.Actor == actor && e.Action == action && e.Subject == subject {
			return e
		}
	}
}

// authenticator shows codes of a second factor. The server takes a code of the step
// before or after too, and none twice. Not one of the step before: it may be over on
// the way. So two sign-ins need no waiting.
type authenticator struct {
	secret string
	last   int64
}

const step = 30 * time.Second

func (a *authenticator) code(t *testing.T) string {
	t.Helper()
	current := time.Now().Unix() / int64(step.Seconds())
	a.last = max(a.last+1, current)
	if a.last > current+1 {
		time.Sleep(time.Until(time.Unix((a.last-1)*int64(step.Seconds()), 0)))
	}
	code, err := hotp.GenerateCode(a.secret, uint64(a.last))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// enrolled is what turning the second factor on gave.
type enrolled struct {
	authenticator
	recovery []string
}

// enrol turns the caller's second factor on.
func (c *caller) enrol(password string) *enrolled {
	c.t.Helper()
	type enrolment struct{ Secret, URL, QR string }
	begun := data[enrolment](c.post("/auth/totp/setup", map[string]any{"password": password}))
	if err := isPNG(begun.QR); err != nil {
		c.t.Error(err)
	}
	out := &enrolled{authenticator: authenticator{secret: begun.Secret}}
	done := data[struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}](c.post("/auth/totp/enable", map[string]any{"code": out.code(c.t)}))
	out.recovery = done.RecoveryCodes
	return out
}

// secondStep signs in where a second factor is due.
func (c *caller) secondStep(who account, proof map[string]any) *answer {
	c.t.Helper()
	first := data[struct {
		SecondFactor bool `json:"second_factor"`
		Token        string
	}](c.login(who))
	if _, early := c.cookies[sessionCookie]; early || !first.SecondFactor {
		c.t.Fatalf("the password alone signed in: session %v, second factor asked for %v", early, first.SecondFactor)
	}
	body := map[string]any{"token": first.Token}
	maps.Copy(body, proof)
	return c.post("/auth/login/totp", body)
}

// id is that of the object in the answer.
func (r *answer) id() string {
	r.t.Helper()
	var row struct{ ID string }
	if !r.decode(&row) || row.ID == "" {
		r.t.Fatalf("%s: no id in %s", r.what, r.body)
	}
	return row.ID
}
