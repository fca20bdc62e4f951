package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pquerna/otp/totp"

	"gateway/internal/api"
)

// Client is one caller, with its own cookies or token.
type Client struct {
	t       testing.TB
	app     *App
	Cookies map[string]string
	Header  http.Header
	// Password is given where an operation needs it once more; without it the refusal is answered.
	Password string
	// OnPing hears the pings of streams.
	OnPing func(context.Context, []byte) bool
}

// Anonymous is a caller that never signed in.
func (a *App) Anonymous() *Client {
	return &Client{t: a.t, app: a, Cookies: map[string]string{}, Header: http.Header{}}
}

// Bearer is a caller with a token.
func (a *App) Bearer(token string) *Client {
	c := a.Anonymous()
	c.Header.Set("Authorization", "Bearer "+token)
	return c
}

// From lets the caller appear under another address, as HAProxy would report it.
func (c *Client) From(ip string) *Client {
	c.Header.Set("X-Real-IP", ip)
	return c
}

// Copy is the same caller with its own cookies, to keep a session that is about to end.
func (c *Client) Copy() *Client {
	out := c.app.Anonymous()
	out.Header, out.Password = c.Header.Clone(), c.Password
	for k, v := range c.Cookies {
		out.Cookies[k] = v
	}
	return out
}

// SignIn signs in with a password.
func (a *App) SignIn(email, password string) *Client {
	a.t.Helper()
	c := a.Anonymous()
	c.Login(email, password).Want(http.StatusOK)
	return c
}

// Login sends the password step.
func (c *Client) Login(email, password string) *Answer {
	a := c.Post("/auth/login", map[string]any{"email": email, "password": password})
	if a.Status == http.StatusOK {
		c.Password = password
	}
	return a
}

// Code is what an authenticator shows for a secret at the process's time.
func (a *App) Code(secret string) string {
	a.t.Helper()
	code, err := totp.GenerateCode(secret, a.Clock.Now())
	if err != nil {
		a.t.Fatal(err)
	}
	return code
}

// EnrolTOTP turns the second factor on and returns its secret and recovery codes.
func (c *Client) EnrolTOTP() (secret string, recovery []string) {
	c.t.Helper()
	var enrolment struct{ Secret string }
	c.Post("/auth/totp/setup", map[string]any{"password": Password}).Want(http.StatusOK).Data(&enrolment)
	var enabled struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	c.Post("/auth/totp/enable", map[string]any{"code": c.app.Code(enrolment.Secret)}).Want(http.StatusOK).Data(&enabled)
	return enrolment.Secret, enabled.RecoveryCodes
}

// Answer is what came back.
type Answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
	Error  *api.Error
	data   json.RawMessage
	what   string
}

// Get, Post, Put and Delete call an operation by its path below /api/v1.
func (c *Client) Get(path string) *Answer            { return c.Do(http.MethodGet, path, nil) }
func (c *Client) Post(path string, body any) *Answer { return c.Do(http.MethodPost, path, body) }
func (c *Client) Put(path string, body any) *Answer  { return c.Do(http.MethodPut, path, body) }
func (c *Client) Delete(path string) *Answer         { return c.Do(http.MethodDelete, path, nil) }

// Do sends a request and keeps the cookies of its answer.
func (c *Client) Do(method, path string, body any) *Answer {
	c.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, c.app.Server.URL+api.Prefix+path, r)
	if err != nil {
		c.t.Fatal(err)
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.Send(req)
}

// Send sends a prepared request as this caller, once more with a ticket where it needs the password.
func (c *Client) Send(req *http.Request) *Answer {
	c.t.Helper()
	a := c.send(req)
	if a.Error == nil || a.Error.Code != "password_required" || c.Password == "" || req.Body != nil && req.GetBody == nil {
		return a
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		again.Body, _ = req.GetBody() // from memory
	}
	operation := req.Method + " " + strings.TrimPrefix(req.URL.Path, api.Prefix)
	var got struct{ Ticket string }
	if !c.Post("/auth/tickets", map[string]any{"password": c.Password, "operation": operation}).Data(&got) {
		return a
	}
	again.Header.Del("Cookie")
	again.Header.Set("Gateway-Ticket", got.Ticket)
	return c.send(again)
}

func (c *Client) send(req *http.Request) *Answer {
	c.t.Helper()
	for k, v := range c.Header {
		req.Header[k] = v
	}
	for name, value := range c.Cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	client := *c.app.Server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer res.Body.Close()
	a := &Answer{t: c.t, Status: res.StatusCode, Header: res.Header, what: req.Method + " " + req.URL.Path}
	if a.Body, err = io.ReadAll(res.Body); err != nil {
		c.t.Fatalf("%s: %v", a.what, err)
	}
	for _, cookie := range res.Cookies() {
		c.Cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(c.Cookies, cookie.Name)
		}
	}
	var env struct {
		Data  json.RawMessage
		Error *api.Error
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") && json.Unmarshal(a.Body, &env) == nil {
		a.data, a.Error = env.Data, env.Error
	}
	return a
}

// Want fails the test when the status is another one.
func (a *Answer) Want(status int) *Answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("%s = %d %s, want %d", a.what, a.Status, bytes.TrimSpace(a.Body), status)
	}
	return a
}

// WantCode is Want, and holds the error code too.
func (a *Answer) WantCode(status int, code string) *Answer {
	a.t.Helper()
	a.Want(status)
	if a.Error == nil || a.Error.Code != code {
		a.t.Fatalf("%s = %s, want code %q", a.what, bytes.TrimSpace(a.Body), code)
	}
	return a
}

// Data decodes the envelope's data and tells whether it could.
func (a *Answer) Data(v any) bool {
	a.t.Helper()
	return a.data != nil && json.Unmarshal(a.data, v) == nil
}

// ID is the id of the resource that was answered.
func (a *Answer) ID() string {
	a.t.Helper()
	var row struct{ ID string }
	if !a.Data(&row) || row.ID == "" {
		a.t.Fatalf("%s answered no id: %s", a.what, a.Body)
	}
	return row.ID
}

// Stream opens a WebSocket as this caller.
func (c *Client) Stream(ctx context.Context, path string, header http.Header) (*Stream, *http.Response, error) {
	h := c.Header.Clone()
	for k, v := range header {
		h[k] = v
	}
	var cookies []string
	for name, value := range c.Cookies {
		cookies = append(cookies, name+"="+value)
	}
	if len(cookies) > 0 {
		h.Set("Cookie", strings.Join(cookies, "; "))
	}
	conn, res, err := websocket.Dial(ctx, c.app.Server.URL+api.Prefix+path, &websocket.DialOptions{HTTPClient: c.app.Server.Client(), HTTPHeader: h, OnPingReceived: c.OnPing})
	if err != nil {
		return nil, res, err
	}
	conn.SetReadLimit(1 << 20)
	return &Stream{Conn: conn}, res, nil
}

// Stream is an open WebSocket.
type Stream struct{ *websocket.Conn }

// Next decodes the next message.
func (s *Stream) Next(ctx context.Context, v any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, msg, err := s.Read(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(msg, v)
}

// Closed waits until the server closes the stream and tells how long that took and why.
func (s *Stream) Closed(ctx context.Context) (time.Duration, websocket.StatusCode) {
	start := time.Now()
	for {
		if _, _, err := s.Read(ctx); err != nil {
			var closed websocket.CloseError
			if errors.As(err, &closed) {
				return time.Since(start), closed.Code
			}
			return time.Since(start), -1
		}
	}
}
