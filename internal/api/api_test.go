package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// everyone holds the role its token names.
type everyone struct{}

func (everyone) Authenticate(_ context.Context, c api.Credential) (identity.Identity, error) {
	if role := identity.Role(c.Bearer); role == identity.Admin || role == identity.Viewer {
		return identity.Identity{UserID: "1", Email: "a@example.com", Role: role}, nil
	}
	return identity.Identity{}, fault.New(fault.Unauthenticated, "who?")
}

func (everyone) Revocations() (<-chan struct{}, func()) { return nil, func() {} }

type state bool

func (s state) Up() bool { return bool(s) }

func server(t *testing.T, routes func(api.Router)) *httptest.Server {
	t.Helper()
	s := api.New(api.Options{
		Version: "1.2.3", Auth: everyone{}, Database: state(true), SetupDone: func() bool { return true },
		Site: fstest.MapFS{
			"index.html":         {Data: []byte("<!doctype html>page")},
			"favicon.svg":        {Data: []byte("<svg/>")},
			"long.css":           {Data: bytes.Repeat([]byte("a"), 5000)},
			"assets/app-1a2b.js": {Data: []byte("js")},
		},
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	if routes != nil {
		routes(s.Router("test"))
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	return srv
}

func do(t *testing.T, srv *httptest.Server, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, strings.TrimSpace(string(text))
}

type thing struct {
	Body struct {
		Name  string `json:"name" minLength:"3"`
		Count int    `json:"count,omitempty"`
	}
}

func things(r api.Router) {
	api.Handle(r, api.Op{ID: "make", Method: http.MethodPost, Path: "/things"}, func(_ context.Context, in *thing) (*api.Body[string], error) {
		switch in.Body.Name {
		case "panic":
			panic("boom")
		case "broken":
			return nil, errors.New("the disk is on fire: password=hunter2")
		case "taken":
			return nil, fault.New(fault.Conflict, "another thing has the name already")
		case "late":
			return nil, context.DeadlineExceeded
		}
		return api.OK(in.Body.Name), nil
	})
}

// shows API-02, API-03, API-09, API-10, API-11, API-12*
func TestEveryFailureIsInTheEnvelope(t *testing.T) {
	srv := server(t, things)
	tests := []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"a fault", "POST", "/api/v1/things", `{"name":"taken"}`, 409, "conflict"},
		{"an error of ours", "POST", "/api/v1/things", `{"name":"broken"}`, 500, "internal"},
		{"a panic", "POST", "/api/v1/things", `{"name":"panic"}`, 500, "internal"},
		{"an expired deadline", "POST", "/api/v1/things", `{"name":"late"}`, 503, "timeout"},
		{"a value too short", "POST", "/api/v1/things", `{"name":"x"}`, 400, "invalid"},
		{"an unknown key", "POST", "/api/v1/things", `{"name":"xyz","more":1}`, 400, "invalid"},
		{"a key given twice", "POST", "/api/v1/things", `{"name":"xyz","name":"abc"}`, 400, "invalid"},
		{"a wrong type", "POST", "/api/v1/things", `{"name":7}`, 400, "invalid"},
		{"no JSON", "POST", "/api/v1/things", `{"name":`, 400, "invalid"},
		{"something behind", "POST", "/api/v1/things", `{"name":"xyz"} {}`, 400, "invalid"},
		{"NUL", "POST", "/api/v1/things", `{"name":"x\u0000yz"}`, 400, "invalid"},
		{"broken UTF-8", "POST", "/api/v1/things", "{\"name\":\"x\xffyz\"}", 400, "invalid"},
		{"too deep", "POST", "/api/v1/things", `{"name":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`, 400, "invalid"},
		{"an unknown path", "GET", "/api/v1/nothing", "", 404, "not_found"},
		{"an unknown version", "GET", "/api/v2/things", "", 404, "not_found"},
		{"another method", "DELETE", "/api/v1/things", "", 405, "method_not_allowed"},
		{"a second spelling", "POST", "/api/v1//things", `{"name":"xyz"}`, 404, "not_found"},
		{"a trailing slash", "POST", "/api/v1/things/", `{"name":"xyz"}`, 404, "not_found"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			res, body := do(t, srv, tc.method, tc.path, tc.body, "Authorization", "Bearer admin")
			if res.StatusCode != tc.status || !strings.HasPrefix(body, `{"data":null,"error":{"code":"`+tc.code+`"`) {
				t.Errorf("= %d %s, want %d %s", res.StatusCode, body, tc.status, tc.code)
			}
			if strings.Contains(body, "hunter2") {
				t.Error("what only the log may know was answered")
			}
		})
	}
}

func TestSuccessIsInTheEnvelope(t *testing.T) {
	res, body := do(t, server(t, things), "POST", "/api/v1/things", `{"name":"xyz"}`, "Authorization", "Bearer admin")
	if res.StatusCode != 200 || body != `{"data":"xyz","error":null}` {
		t.Errorf("= %d %s", res.StatusCode, body)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Error("an answer of the API may be cached")
	}
}

func TestABodyMustBeJSONAndSmall(t *testing.T) {
	srv := server(t, things)
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"} {
		if res, body := do(t, srv, "POST", "/api/v1/things", `{"name":"xyz"}`, "Authorization", "Bearer admin", "Content-Type", kind); res.StatusCode != 415 {
			t.Errorf("%s = %d %s, want 415", kind, res.StatusCode, body)
		}
	}
	large := `{"name":"` + strings.Repeat("x", 2<<20) + `"}`
	if res, body := do(t, srv, "POST", "/api/v1/things", large, "Authorization", "Bearer admin"); res.StatusCode != 413 {
		t.Errorf("2 MiB = %d %.100s, want 413", res.StatusCode, body)
	}
}

func TestForgettingToSayWhoMayIsSafe(t *testing.T) {
	srv := server(t, things)
	for token, want := range map[string]int{"admin": 200, "viewer": 403, "nobody": 401} {
		if res, _ := do(t, srv, "POST", "/api/v1/things", `{"name":"xyz"}`, "Authorization", "Bearer "+token); res.StatusCode != want {
			t.Errorf("%s = %d, want %d", token, res.StatusCode, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a mutation open to viewers was registered")
		}
	}()
	server(t, func(r api.Router) {
		api.Handle(r, api.Op{ID: "x", Method: http.MethodPost, Path: "/x", Access: api.Viewer}, func(context.Context, *struct{}) (*api.Body[string], error) {
			return api.OK(""), nil
		})
	})
}

// Many large bodies at once are memory that nobody counted.
func TestALargeBodyNeedsABound(t *testing.T) {
	register := func(atOnce int) (refused bool) {
		defer func() { refused = recover() != nil }()
		server(t, func(r api.Router) {
			api.Handle(r, api.Op{ID: "x", Method: http.MethodPost, Path: "/x", MaxBody: 16 << 20, AtOnce: atOnce}, func(context.Context, *struct{}) (*api.Body[string], error) {
				return api.OK(""), nil
			})
		})
		return false
	}
	if !register(0) || register(4) {
		t.Error("16 MiB were taken without a bound, or refused with one")
	}
}

// shows UI-02, UI-03
func TestTheSite(t *testing.T) {
	srv := server(t, nil)
	tests := []struct {
		name, path   string
		status       int
		cache, holds string
	}{
		{"the page", "/", 200, "no-cache", "page"},
		{"the page by name", "/index.html", 200, "no-cache", "page"},
		{"a page of the app", "/users/7", 200, "no-cache", "page"},
		{"the wizard", "/setup", 200, "no-cache", "page"},
		{"a hashed asset", "/assets/app-1a2b.js", 200, "public, max-age=31536000, immutable", "js"},
		{"an asset that is gone", "/assets/app-old.js", 404, "no-store", ""},
		{"figures at the place where other products have them", "/metrics", 404, "no-store", ""},
		{"another file", "/favicon.svg", 200, "no-cache", "svg"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			res, body := do(t, srv, "GET", tc.path, "")
			if res.StatusCode != tc.status || res.Header.Get("Cache-Control") != tc.cache || !strings.Contains(body, tc.holds) {
				t.Errorf("= %d %q %s", res.StatusCode, res.Header.Get("Cache-Control"), body)
			}
			if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") || strings.Contains(csp, "unsafe") {
				t.Errorf("CSP = %s", csp)
			}
		})
	}
	if res, _ := do(t, srv, "POST", "/", ""); res.StatusCode != 405 {
		t.Errorf("POST / = %d, want 405", res.StatusCode)
	}
}

func TestTheSiteIsCompressedAndTheAPIIsNot(t *testing.T) {
	srv := server(t, things)
	res, _ := do(t, srv, "GET", "/long.css", "", "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("headers = %v, want gzip", res.Header)
	}
	if again, _ := do(t, srv, "GET", "/long.css", "", "Accept-Encoding", "gzip", "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again = %d, want 304", again.StatusCode)
	}
	if plain, body := do(t, srv, "GET", "/long.css", "", "Accept-Encoding", "identity"); plain.Header.Get("Content-Encoding") != "" || len(body) != 5000 {
		t.Errorf("without gzip: %d bytes, %v", len(body), plain.Header)
	}
	if res, _ := do(t, srv, "GET", "/api/v1/openapi.json", "", "Authorization", "Bearer viewer", "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
		t.Error("an answer of the API is compressed")
	}
}

func TestTheDocumentOffersNoSubscription(t *testing.T) {
	res, body := do(t, server(t, things), "GET", "/api/v1/openapi.json", "", "Authorization", "Bearer viewer")
	if res.StatusCode != 200 || !strings.Contains(body, `"openapi": "3.1.0"`) || strings.Contains(body, "422") {
		t.Errorf("document = %d %.80s", res.StatusCode, body)
	}
	for _, word := range []string{"subscri", "callbacks", "webhooks"} {
		if strings.Contains(strings.ToLower(body), word) {
			t.Errorf("the document mentions %s", word)
		}
	}
	if res, body := do(t, server(t, things), "GET", "/api/v1/docs", "", "Authorization", "Bearer viewer"); res.StatusCode != 200 || !strings.Contains(body, "POST /things") {
		t.Errorf("docs = %d %.200s", res.StatusCode, body)
	}
}

// What anybody may send is read only as far as it can be meant.
func TestStrangersSendSmallBodies(t *testing.T) {
	srv := server(t, func(r api.Router) {
		for path, access := range map[string]api.Access{"/public": api.Public, "/self": api.Self, "/admin": api.Admin} {
			api.Handle(r, api.Op{ID: path, Method: http.MethodPost, Path: path, Access: access},
				func(context.Context, *struct{ Body map[string]any }) (*api.Body[*api.None], error) {
					return api.Done(), nil
				})
		}
	})
	long := `{"a":"` + strings.Repeat("x", 9<<10) + `"}`
	for path, want := range map[string]int{"/public": 413, "/self": 413, "/admin": 200} {
		if res, body := do(t, srv, "POST", "/api/v1"+path, long, "Authorization", "Bearer admin"); res.StatusCode != want {
			t.Errorf("9 KiB to %s = %d %s, want %d", path, res.StatusCode, body, want)
		}
	}
	if res, body := do(t, srv, "POST", "/api/v1/public", `{"a":"b"}`); res.StatusCode != 200 {
		t.Errorf("a small body = %d %s", res.StatusCode, body)
	}
}

func TestABodyOfVeryManyValuesIsRefused(t *testing.T) {
	srv := server(t, func(r api.Router) {
		api.Handle(r, api.Op{ID: "take", Method: http.MethodPost, Path: "/take"},
			func(context.Context, *struct{ Body map[string]any }) (*api.Body[*api.None], error) {
				return api.Done(), nil
			})
	})
	for unit, want := range map[string]int{`{}`: 400, `[]`: 400, `1`: 400, `"2001:db8::1"`: 200} {
		body := `{"a":[` + strings.Repeat(unit+",", 30_000) + `0]}`
		if res, text := do(t, srv, "POST", "/api/v1/take", body, "Authorization", "Bearer admin"); res.StatusCode != want {
			t.Errorf("30,000 times %s = %d %s, want %d", unit, res.StatusCode, text, want)
		}
	}
}

// Whoever runs on this machine reaches us by loopback, and must not choose an address.
func TestTheCallersAddressIsBelievedFromOurProxyOnly(t *testing.T) {
	s := api.New(api.Options{
		Auth: everyone{}, Database: state(true), SetupDone: func() bool { return true }, Site: fstest.MapFS{},
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	api.Handle(s.Router("test"), api.Op{ID: "who", Method: http.MethodGet, Path: "/who", Access: api.Public}, func(ctx context.Context, _ *struct{}) (*api.Body[string], error) {
		return api.OK(api.ClientOf(ctx).Addr.String() + " to " + identity.OriginOf(ctx).Local.String()), nil
	})
	for _, tc := range []struct {
		name, claims, to, want string
		proxy                  bool
	}{
		{"a process of this machine", "192.0.2.7", "192.0.2.1", "127.0.0.1 to invalid IP", false},
		{"our proxy", "192.0.2.7", "192.0.2.1", "192.0.2.7 to 192.0.2.1", true},
		{"our proxy by IPv6", "2001:db8::7", "2001:db8::1", "2001:db8::7 to 2001:db8::1", true},
		{"our proxy, for IPv4 on an IPv6 socket", "::ffff:192.0.2.7", "::ffff:192.0.2.1", "192.0.2.7 to 192.0.2.1", true},
		{"our proxy without a word", "", "", "127.0.0.1 to invalid IP", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(s.Handler())
			if tc.proxy {
				srv.Config.BaseContext = func(net.Listener) context.Context { return api.BehindProxy(context.Background()) }
			}
			srv.Start()
			defer srv.Close()
			if _, body := do(t, srv, "GET", "/api/v1/who", "", "X-Real-IP", tc.claims, "X-Gateway-Local", tc.to); !strings.Contains(body, `"`+tc.want+`"`) {
				t.Errorf("= %s, want %s", body, tc.want)
			}
		})
	}
}
