package api

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// wellKnown is where other programs look for answers whose address they do not choose.
const wellKnown = "/.well-known/"

// WellKnown answers GET /.well-known/name/word with plain text, to anybody, once setup is
// complete. It is for protocols that fix the address and the form of the answer, so there
// is neither session nor envelope; what is not found, or fails, is told by the status alone.
func WellKnown(r Router, name string, fn func(ctx context.Context, word string) (string, error)) {
	if _, twice := r.s.wellKnown[name]; twice || name == "" || strings.Contains(name, "/") {
		panic("well-known name is malformed or used twice: " + name)
	}
	r.s.wellKnown[name] = fn
}

// serveWellKnown reports whether the request was for a name that somebody registered.
func (s *Server) serveWellKnown(w http.ResponseWriter, r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, wellKnown)
	name, word, _ := strings.Cut(rest, "/")
	fn := s.wellKnown[name]
	if !ok || fn == nil {
		return false
	}
	maps.Copy(w.Header(), data)
	text, err := s.askWellKnown(r, word, fn)
	if err != nil {
		f := s.fail(r.Context(), "well-known "+name, err)
		http.Error(w, http.StatusText(f.status), f.status)
		return true
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text) // nobody is left to be told
	return true
}

func (s *Server) askWellKnown(r *http.Request, word string, fn func(context.Context, string) (string, error)) (string, error) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return "", fault.New(fault.Method, "method %s is not supported here", r.Method)
	case !s.SetupDone():
		return "", fault.New(fault.NotFound, "this node is not set up yet")
	case !s.Database.Up():
		return "", db.Down()
	}
	return fn(r.Context(), word)
}
