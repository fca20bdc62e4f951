package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"gateway/internal/fault"
)

// Call is a request within a request: one operation of a batch.
type Call struct {
	Method string
	Path   string // below Prefix
	Header http.Header
	Body   []byte
}

// Call runs another operation, for the same caller and past the same gates, within ctx.
// It answers the data, or the fault that the caller would have seen. Only operations
// that store configuration can be called.
func (r Router) Call(ctx context.Context, c Call) (any, error) {
	outer, ok := ctx.Value(clientKey{}).(*http.Request)
	if !ok {
		return nil, fault.New(fault.Internal, "there is no request to act for")
	}
	req, err := c.request(ctx, outer)
	if err != nil {
		return nil, err
	}
	if err := spelled(req); err != nil {
		return nil, err
	}
	if _, pattern := r.s.mux.Handler(req); !r.s.config[pattern] {
		return nil, fault.New(fault.Invalid, "%s %s cannot be part of a batch", c.Method, c.Path).WithCode("not_batchable")
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	r.s.mux.ServeHTTP(w, req)
	return w.result()
}

// ErrAnswerTooLarge is what Read returns for an answer that is larger than it takes.
var ErrAnswerTooLarge = errors.New("the answer is too large")

// Read runs an operation that every signed-in account may call, for the same caller and past the same gates, within
// ctx. What is put together of its answers holds nothing that is for administrators only, whoever asks for it. An answer
// of more bytes than most is none.
func (r Router) Read(ctx context.Context, path string, most int) (json.RawMessage, error) {
	outer, ok := ctx.Value(clientKey{}).(*http.Request)
	if !ok {
		return nil, errors.New("there is no request to act for")
	}
	req, err := Call{Method: http.MethodGet, Path: path}.request(ctx, outer)
	if err != nil {
		return nil, err
	}
	if err := spelled(req); err != nil {
		return nil, err
	}
	if _, pattern := r.s.mux.Handler(req); !r.s.reads[pattern] || r.s.sockets[pattern] {
		return nil, fault.New(fault.Forbidden, "this requires the role admin")
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK, most: most}
	r.s.mux.ServeHTTP(w, req)
	return w.result()
}

func (c Call) request(ctx context.Context, outer *http.Request) (*http.Request, error) {
	u, err := url.Parse(Prefix + c.Path)
	if err != nil || !strings.HasPrefix(c.Path, "/") {
		return nil, fault.New(fault.Invalid, "%q is not a path below %s", c.Path, Prefix)
	}
	req := outer.Clone(ctx)
	req.Method, req.URL, req.RequestURI, req.Pattern = c.Method, u, u.RequestURI(), ""
	for _, name := range []string{reasonHeader, confirmHeader, dryRunHeader, "If-Match", "Content-Length"} {
		req.Header.Del(name)
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(c.Body)), int64(len(c.Body))
	return req, nil
}

// Do runs an operation from outside of any request, as whoever the header says.
func (s *Server) Do(ctx context.Context, c Call) (json.RawMessage, http.Header, error) {
	w, err := s.record(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	data, err := w.result()
	return data, w.header, err
}

// Answer is what an operation answered, as it would go over the wire.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Answer is Do for whoever wants the answer as it is: with its status, and also where it is no
// envelope.
func (s *Server) Answer(ctx context.Context, c Call) (Answer, error) {
	w, err := s.record(ctx, c)
	if err != nil {
		return Answer{}, err
	}
	return Answer{w.status, w.header, w.body.Bytes()}, nil
}

func (s *Server) record(ctx context.Context, c Call) (*recorder, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, "http://localhost"+Prefix+c.Path, bytes.NewReader(c.Body))
	if err != nil || !strings.HasPrefix(c.Path, "/") {
		return nil, fault.New(fault.Invalid, "%q is not a path below %s", c.Path, Prefix)
	}
	req.Header = c.Header.Clone()
	req.Header.Set("Content-Type", "application/json")
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	s.serve(w, req, http.NotFoundHandler()) // the API alone: reading the pages takes a while
	return w, nil
}

// Fault is what a failed answer says.
func (a Answer) Fault() *fault.Fault {
	var e struct {
		Error *Error `json:"error"`
	}
	if json.Unmarshal(a.Body, &e) != nil || e.Error == nil {
		return fault.New(fault.Internal, "unexpected response with status %d", a.Status)
	}
	return e.Error.fault(a.Status)
}

func (e *Error) fault(status int) *fault.Fault {
	return &fault.Fault{Kind: kinds[status], Code: e.Code, Sentence: e.Sentence, Fields: e.Fields, Current: e.Current, Uses: e.Uses}
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	most   int  // bytes that it keeps; 0 for all
	over   bool // there were more
}

func (w *recorder) Header() http.Header    { return w.header }
func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(p []byte) (int, error) {
	if w.over = w.over || w.most > 0 && w.body.Len()+len(p) > w.most; w.over {
		return len(p), nil
	}
	return w.body.Write(p)
}

func (w *recorder) result() (json.RawMessage, error) {
	if w.over {
		return nil, ErrAnswerTooLarge
	}
	var e struct {
		Data  json.RawMessage `json:"data"`
		Error *Error          `json:"error"`
	}
	if err := json.Unmarshal(w.body.Bytes(), &e); err != nil {
		return nil, fault.New(fault.Internal, "an operation of the batch returned an unexpected response")
	}
	if e.Error != nil {
		return nil, e.Error.fault(w.status)
	}
	return e.Data, nil
}
