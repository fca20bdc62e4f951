package api

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"gateway/internal/fault"
)

// Handler is the whole edge: the API below Prefix, the SPA everywhere else.
func (s *Server) Handler() http.Handler {
	site := site(s.Site)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, site) })
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, site http.Handler) {
	defer func() {
		if v := recover(); v != nil {
			s.fail(r.Context(), r.Method, panicked(v)).write(w)
		}
	}()
	if r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/") {
		maps.Copy(w.Header(), data)
		s.serveAPI(w, r)
		return
	}
	if s.serveWellKnown(w, r) {
		return
	}
	maps.Copy(w.Header(), secure)
	site.ServeHTTP(w, r)
}

// data is what every answer of the API carries: it is not to be kept, guessed at or embedded.
var data = http.Header{
	"Cache-Control":                {"no-store"},
	"X-Content-Type-Options":       {"nosniff"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
}

// secure is what every page carries. The SPA needs no inline script or style, so
// none is allowed. The values are shared by all answers and never changed.
var secure = http.Header{
	"Content-Security-Policy":      {"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"},
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if err := spelled(r); err != nil {
		answer(err).write(w)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// unrouted answers what no operation does. It asks the mux a second time, whether
// another method would do, so that every other request is routed only once.
func (s *Server) unrouted(w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(asked); pattern != "/" {
			allow = append(allow, method)
		}
	}
	if len(allow) == 0 {
		answer(fault.New(fault.NotFound, "not found")).write(w)
		return
	}
	f := answer(fault.New(fault.Method, "method %s is not supported here", r.Method))
	f.headers.Set("Allow", strings.Join(allow, ", "))
	f.write(w)
}

// spelled accepts one spelling of a path only. Ids are hexadecimal, so nothing in
// our paths needs escaping; two spellings of one path are how gates are walked around.
func spelled(r *http.Request) error {
	p := r.URL.EscapedPath()
	if p != path.Clean(p) || strings.ContainsAny(p, "%;\\") {
		return fault.New(fault.NotFound, "not found")
	}
	if strings.Contains(r.URL.RawQuery, "%") && !readable(r.URL.Query()) {
		return fault.New(fault.Invalid, "the query must be UTF-8 without NUL")
	}
	if r.ContentLength != 0 && !jsonBody(r) {
		return fault.New(fault.MediaType, "send the body as application/json")
	}
	return nil
}

// readable is what PostgreSQL can store; a parameter that it cannot would be our error, not the caller's.
func readable(query url.Values) bool {
	for name, values := range query {
		text := name + strings.Join(values, "")
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return false
		}
	}
	return true
}

// jsonBody also keeps forms of other sites out, which cannot set this type.
func jsonBody(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}
