package api

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Envelope is the body of every JSON answer.
type Envelope[T any] struct {
	Data  T      `json:"data" doc:"What the operation returns"`
	Error *Error `json:"error" doc:"Null on success"`
}

// Error is what a failed request answers in the envelope.
type Error struct {
	Code string `json:"code" example:"invalid" doc:"For programs: invalid, unauthenticated, forbidden, not_found, conflict, …"`
	fault.Sentence
	Fields  []fault.Field `json:"fields" doc:"What is wrong in which field"`
	Current any           `json:"current,omitempty" doc:"With precondition_failed: the stored state"`
	fault.Uses
}

// failure is a failed answer: an envelope without data, and the status it goes out with.
type failure struct {
	status  int
	headers http.Header
	Data    *None  `json:"data"`
	Err     *Error `json:"error" doc:"What went wrong"`
}

func (f *failure) Error() string           { return f.Err.Message }
func (f *failure) GetStatus() int          { return f.status }
func (f *failure) GetHeaders() http.Header { return f.headers }

// statuses is the one place where a kind of fault becomes a status code.
var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Method:          http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.MediaType:       http.StatusUnsupportedMediaType,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.Internal:        http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// answer words any error for the caller. What is not a fault is ours to know, not theirs.
func answer(err error) *failure {
	f, ok := fault.Of(err)
	switch {
	case ok:
	case db.Expired(err):
		f = fault.New(fault.Unavailable, "this took too long and was cancelled; nothing was changed").WithCode("timeout")
	case db.Unavailable(err):
		f = db.Down()
	default:
		f = fault.New(fault.Internal, "internal error; see this node's log for details")
	}
	out := &failure{status: statuses[f.Kind], headers: http.Header{}}
	out.Err = &Error{Code: f.Code, Sentence: f.Sentence, Fields: f.Fields, Current: f.Current, Uses: f.Uses}
	if out.Err.Fields == nil {
		out.Err.Fields = []fault.Field{}
	}
	if f.RetryAfter > 0 {
		out.headers.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	return out
}

// Fail words err for the caller and logs it once when it is ours.
func (s *Server) fail(ctx context.Context, op string, err error) *failure {
	if db.Expired(err) && !s.Database.Up() {
		err = db.Down()
	}
	out := answer(err)
	if out.status >= http.StatusInternalServerError && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "request", "op", op, "status", out.status, "err", err)
	}
	return out
}

// write sends a failure outside of huma.
func (f *failure) write(w http.ResponseWriter) {
	for k, v := range f.headers {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = encodeJSON(w, f) // the caller hung up
}

// kinds is statuses read backwards, for what huma itself refuses.
var kinds = func() map[int]fault.Kind {
	m := map[int]fault.Kind{http.StatusUnprocessableEntity: fault.Invalid, http.StatusRequestTimeout: fault.Invalid, http.StatusNotAcceptable: fault.Invalid}
	for k, status := range statuses {
		m[status] = k
	}
	return m
}()

// init makes huma's own refusals ours: 422 becomes 400, and the rejected value is
// never echoed (it may be a password). huma keeps this hook in a package variable.
func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		kind, ok := kinds[status]
		if status == http.StatusInternalServerError { // huma's only own one: the body ended early
			kind = fault.Invalid
		}
		if !ok {
			kind = fault.Internal
		}
		f := fault.With(kind, refusal(kind, msg))
		for _, err := range errs {
			var d huma.ErrorDetailer
			if errors.As(err, &d) {
				detail := d.ErrorDetail()
				f.Fields = append(f.Fields, fieldOf(detail))
			}
		}
		return answer(f)
	}
}

// panicked is the error a recovered panic becomes.
func panicked(v any) error { return fmt.Errorf("panic: %v", v) }

// null is the schema of a property that is always null, and why.
func null(why string) *huma.Schema { return &huma.Schema{Type: "null", Description: why} }

// TransformSchema says what a reference cannot: that on success there is no error, and that data may be null.
func (e Envelope[T]) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["error"] = null("Null on success")
	if reflect.TypeFor[T]().Kind() == reflect.Pointer {
		s.Properties["data"] = null("Null: there is nothing to return")
	}
	return s
}

// TransformSchema says that a failure has no data.
func (f failure) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["data"] = null("Null on failure")
	return s
}
