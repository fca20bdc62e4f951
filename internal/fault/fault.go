// Package fault holds the errors an operator can act on. Everything else is an
// ordinary wrapped error, which the HTTP edge logs and answers as "internal".
// Turning a fault into a status code is left to package api.
package fault

import (
	"errors"
	"strings"
	"time"
)

// Kind says what went wrong in the operator's terms; package api maps it to a status.
type Kind string

// The kinds double as the machine-readable `code` of an answer, unless WithCode narrows it.
const (
	Invalid         Kind = "invalid"
	Unauthenticated Kind = "unauthenticated"
	Forbidden       Kind = "forbidden"
	NotFound        Kind = "not_found"
	Conflict        Kind = "conflict"
	Precondition    Kind = "precondition_failed"
	TooLarge        Kind = "too_large"
	MediaType       Kind = "unsupported_media_type"
	Method          Kind = "method_not_allowed"
	TooMany         Kind = "too_many_requests"
	Unavailable     Kind = "unavailable"
	Internal        Kind = "internal"
)

// Field is one problem at one place of the request; Name is its JSON path ("email", "servers[2].port").
type Field struct {
	Name string `json:"field" doc:"JSON path in the request"`
	Sentence
}

// Fault is an error the operator may read. Fields, Code, RetryAfter, Current and Uses are optional.
type Fault struct {
	Kind Kind
	Code string
	Sentence
	Fields     []Field
	RetryAfter time.Duration
	Current    any // the stored state, for Precondition
	Uses           // what is in the way, for Conflict
}

func (f *Fault) Error() string {
	if len(f.Fields) == 0 {
		return f.Message
	}
	parts := make([]string, len(f.Fields))
	for i, p := range f.Fields {
		parts[i] = p.Name + " " + p.Message
	}
	return f.Message + ": " + strings.Join(parts, "; ")
}

// New returns a fault of the given kind whose message is fit for the operator.
func New(kind Kind, format string, args ...any) *Fault {
	return With(kind, Said(format, args...))
}

// With is New of a sentence that is there already: it keeps the words of whoever said it.
func With(kind Kind, s Sentence) *Fault {
	return &Fault{Kind: kind, Code: string(kind), Sentence: s}
}

// WithCode narrows the machine-readable code, e.g. "database_unavailable".
func (f *Fault) WithCode(code string) *Fault {
	f.Code = code
	return f
}

// WithRetry tells the caller when trying again makes sense.
func (f *Fault) WithRetry(after time.Duration) *Fault {
	f.RetryAfter = after
	return f
}

// At returns an Invalid fault about a single field.
func At(field, format string, args ...any) *Fault {
	return Fields(Field{field, Said(format, args...)})
}

// Fields is an Invalid fault about these fields.
func Fields(fields ...Field) *Fault {
	f := New(Invalid, "the request is not valid")
	f.Fields = fields
	return f
}

// Of finds the fault in err's chain.
func Of(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Is reports whether err carries a fault of that kind.
func Is(err error, kind Kind) bool {
	f, ok := Of(err)
	return ok && f.Kind == kind
}

// Problems collects everything wrong with a request, so that the operator mends it in one go.
type Problems struct{ fields []Field }

// Add records one problem at a field.
func (p *Problems) Add(field, format string, args ...any) {
	p.fields = append(p.fields, Field{field, Said(format, args...)})
}

// AddError is Add of what a validator found: see Say.
func (p *Problems) AddError(field string, err error) {
	p.fields = append(p.fields, Field{field, SentenceOf(err)})
}

// Check records the fields of an Invalid fault, renamed to field, and passes other errors through.
func (p *Problems) Check(field string, err error) error {
	f, ok := Of(err)
	if err == nil || !ok || f.Kind != Invalid {
		return err
	}
	p.fields = append(p.fields, Field{field, f.Sentence})
	return nil
}

// Err is nil when nothing was added, else one Invalid fault naming every field.
func (p *Problems) Err() error {
	if len(p.fields) == 0 {
		return nil
	}
	return Fields(p.fields...)
}
