package api

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gateway/internal/identity"

	"github.com/danielgtaylor/huma/v2"
)

// Raw registers an operation whose answer is not JSON in the envelope: text,
// images, archives. Its errors still are, and the same gates stand before it.
func Raw(r Router, op Op, contentType string, fn func(w http.ResponseWriter, r *http.Request) error) {
	op = op.withDefaults()
	if op.Lasting {
		panic("only Handle asks for the proof that this needs: " + op.ID)
	}
	r.s.remember(op)
	h := op.describe(r.tag)
	h.Parameters = append(inPath(op.Path), inQuery(op.Query)...)
	h.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{contentType: {}}}}
	r.s.document(h)
	r.s.route(op, func(w http.ResponseWriter, req *http.Request) error {
		maps.Copy(w.Header(), secure) // it may be a page
		w.Header().Set("Content-Type", contentType)
		return fn(w, req)
	})
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// inPath describes the parameters of a path.
func inPath(path string) []*huma.Param {
	var all []*huma.Param
	for _, name := range placeholder.FindAllStringSubmatch(path, -1) {
		all = append(all, &huma.Param{
			Name: name[1], In: "path", Required: true, Description: "Id of the resource", Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	return all
}

// inQuery describes the parameters behind a path, none of which is needed.
func inQuery(query map[string]string) []*huma.Param {
	var all []*huma.Param
	for _, name := range slices.Sorted(maps.Keys(query)) {
		all = append(all, &huma.Param{Name: name, In: "query", Description: query[name], Schema: &huma.Schema{Type: huma.TypeString}})
	}
	return all
}

// document adds an operation that huma does not serve, with the same error answers as the rest.
func (s *Server) document(h huma.Operation) {
	registry := s.huma.OpenAPI().Components.Schemas
	schema := huma.SchemaFromType(registry, reflect.TypeFor[failure]())
	for _, status := range h.Errors {
		h.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	s.huma.OpenAPI().AddOperation(&h)
}

// route puts a plain handler behind the gates.
func (s *Server) route(op Op, fn func(w http.ResponseWriter, r *http.Request) error) {
	method := op.Method
	if method == streamMethod {
		method = http.MethodGet
	}
	counted := s.metrics.of(op.ID)
	s.mux.HandleFunc(method+" "+Prefix+op.Path, func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() { counted.observe(seen.status, time.Since(start)) }()
		id, err := s.admit(op, r)
		if err == nil {
			ctx := withClient(identity.With(r.Context(), id), r)
			if method == op.Method { // streams live longer
				bounded, cancel := context.WithTimeout(ctx, op.Timeout)
				defer cancel()
				ctx = bounded
			}
			err = fn(seen, r.WithContext(ctx))
		}
		if err != nil && !seen.wrote {
			s.fail(r.Context(), op.ID, err).write(seen)
		}
	})
}

// statusWriter remembers what was answered.
type statusWriter struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (w *statusWriter) WriteHeader(status int) {
	w.status, w.wrote = status, true
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController and the WebSocket upgrade reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
