// Package apitest calls operations through the API's real edge, for tests of what lies
// behind them. Who may sign in is left to package user's tests: here a bearer token is the
// name of a role. It is imported by tests only.
package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// Caller is a client of an API that has one component's operations.
type Caller struct {
	T    testing.TB
	Edge *api.Server

	handler http.Handler
}

// Object is what a request carries.
type Object = map[string]any

// With is an object with other fields put over it.
func With(base Object, more ...Object) Object {
	out := maps.Clone(base)
	for _, m := range more {
		maps.Copy(out, m)
	}
	return out
}

// New makes the edge and has the component register its operations there.
func New(t testing.TB, component string, routes func(api.Router)) *Caller {
	t.Helper()
	c := &Caller{T: t, Edge: api.New(api.Options{
		Version: "1.2.3", Auth: accounts{}, Database: database{}, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Site: fstest.MapFS{"index.html": {}}, SetupDone: func() bool { return true },
		Proof: func(identity.Identity, string, string) bool { return true },
	})}
	routes(c.Edge.Router(component))
	c.handler = c.Edge.Handler()
	return c
}

type database struct{}

func (database) Up() bool { return true }

type accounts struct{}

func (accounts) Authenticate(_ context.Context, c api.Credential) (identity.Identity, error) {
	return identity.Identity{Email: "ann@example.com", Role: identity.Role(c.Bearer), SessionID: "s1"}, nil
}

func (accounts) Revocations() (<-chan struct{}, func()) { return nil, func() {} }

// Do calls an operation as an administrator.
func (c *Caller) Do(method, path string, body any) Answer {
	c.T.Helper()
	return c.As("admin", method, path, body)
}

// As calls an operation in a role.
func (c *Caller) As(role, method, path string, body any) Answer {
	c.T.Helper()
	return c.send(role, "", method, path, body)
}

// If calls an operation as an administrator who knows a version of what it is about.
func (c *Caller) If(match, method, path string, body any) Answer {
	c.T.Helper()
	return c.send("admin", match, method, path, body)
}

func (c *Caller) send(role, match, method, path string, body any) Answer {
	c.T.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.T.Fatal(err)
	}
	req := httptest.NewRequest(method, api.Prefix+path, strings.NewReader(string(text)))
	if body == nil {
		req = httptest.NewRequest(method, api.Prefix+path, http.NoBody)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+role)
	if match != "" {
		req.Header.Set("If-Match", match)
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, req)
	a := Answer{t: c.T, Status: w.Code, Total: w.Header().Get("X-Total-Count"), Text: w.Body.String()}
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		return a // a text or an image
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		c.T.Fatalf("%s %s answered %q: %v", method, path, w.Body, err)
	}
	return a
}

// Answer is what came back.
type Answer struct {
	Status int
	Data   json.RawMessage
	Error  struct {
		Code, Message string
		Fields        []fault.Field
		fault.Uses
	}
	Total string `json:"-"` // of a list
	Text  string `json:"-"` // as it came

	t testing.TB
}

// Want fails the test when the status is another one.
func (a Answer) Want(status int) Answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("answered %d %s %+v, want %d", a.Status, a.Data, a.Error, status)
	}
	return a
}

// Into reads the answered object.
func (a Answer) Into(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.Data, v); err != nil {
		a.t.Fatal(err)
	}
}

// Data is the answered object, or a list of them.
func Data[T any](a Answer) T {
	a.t.Helper()
	var v T
	a.Into(&v)
	return v
}

// ID is the answered object's.
func (a Answer) ID() string { return a.Field("id") }

// Field is a field of the answered object, as text.
func (a Answer) Field(name string) string {
	var m Object
	_ = json.Unmarshal(a.Data, &m)
	return fmt.Sprint(m[name])
}

// Complaint is what the answer says about a field of the request.
func (a Answer) Complaint(field string) string {
	i := slices.IndexFunc(a.Error.Fields, func(f fault.Field) bool { return f.Name == field })
	if i < 0 {
		return ""
	}
	return a.Error.Fields[i].Message
}

// Users are what a refusal names as in the way: kind, name and page of each.
func (a Answer) Users() []string {
	var all []string
	for _, u := range a.Error.UsedBy {
		all = append(all, u.Kind+" "+u.Name+" "+u.Link)
	}
	return all
}

// Complaints are the fields of the request that the answer complains about.
func (a Answer) Complaints() string {
	names := make([]string, len(a.Error.Fields))
	for i, f := range a.Error.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, " ")
}
