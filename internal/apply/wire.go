package apply

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gateway/internal/fault"
)

// One request and one answer per connection, each a JSON object on a line of its own. An
// answer may hold the counters of a great many rules.
const (
	maxLine   = 64 << 10
	maxAnswer = 16 << 20
)

type packetFilterRequest struct {
	Verb string `json:"verb"`
}

type packetFilterAnswer struct {
	Loaded *bool `json:"loaded"` // a pointer, since an answer without it must not read as "no"
}

type serviceRequest struct {
	Verb    string `json:"verb"`
	Action  Action `json:"action"`
	Service string `json:"service"`
}

// syncRequest asks for one component to be brought up to date.
type syncRequest struct {
	Verb      string `json:"verb"`
	Component string `json:"component"`
}

type syncAnswer struct {
	State string       `json:"state"`
	Why   string       `json:"why"`
	Words *fault.Words `json:"why_words,omitempty"`
}

func (a syncAnswer) why() fault.Sentence {
	s := fault.Sentence{Message: a.Why}
	if a.Words != nil {
		s.Words = *a.Words
	}
	return s
}

type statesRequest struct {
	Verb string `json:"verb"`
}

type statesAnswer struct {
	States []State `json:"states"`
}

// componentRequest is for a verb that a component brings along; it reads In by itself.
type componentRequest struct {
	Verb      string          `json:"verb"`
	Component string          `json:"component"`
	Do        string          `json:"do"`
	In        json.RawMessage `json:"in,omitempty"`
}

// jobRequest asks for a unit to be started with the id of an archive.
type jobRequest struct {
	Verb string `json:"verb"`
	Job  string `json:"job"`
	ID   string `json:"id"`
}

type componentAnswer struct {
	Out json.RawMessage `json:"out"`
}

type emptyAnswer struct{}

type errorAnswer struct {
	Error *wireError `json:"error,omitempty"`
}

// wireError has the kind of a fault as its code, and its narrower code where it has one.
type wireError struct {
	Code   string `json:"code"`
	Narrow string `json:"narrow,omitempty"`
	fault.Sentence
}

// errNothingSaid is a peer that came and went, such as a probe of the socket.
var errNothingSaid = errors.New("the connection was closed without an answer")

func readLine(r io.Reader, limit int) ([]byte, error) {
	line, err := bufio.NewReader(io.LimitReader(r, int64(limit))).ReadBytes('\n')
	switch {
	case err == nil:
		return line, nil
	case errors.Is(err, io.EOF) && len(line) == limit:
		return nil, fault.New(fault.TooLarge, "more than %d bytes without the end of a line", limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fault.New(fault.Invalid, "the line did not end in time")
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, errNothingSaid
	case errors.Is(err, io.EOF):
		return nil, fault.New(fault.Invalid, "the connection ended within the line")
	default:
		return nil, fmt.Errorf("read a line: %w", err)
	}
}

func writeLine(w io.Writer, v any) error {
	line, err := encodeLine(v)
	if err != nil {
		return err
	}
	return sendLine(w, line)
}

func encodeLine(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return append(data, '\n'), nil
}

func sendLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return fmt.Errorf("write a line: %w", err)
	}
	return nil
}

// decodeStrict refuses fields it does not know and anything after the object: what we
// do not understand must not be taken for a milder request.
func decodeStrict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fault.New(fault.Invalid, "the request cannot be read: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "the request has data after its end")
	}
	return nil
}

// toWire tells the peer what an operator may read, and of all else only that it
// happened: our log has the rest.
func toWire(err error) errorAnswer {
	if f, ok := fault.Of(err); ok {
		e := &wireError{Code: string(f.Kind), Sentence: fault.SentenceOf(f)}
		if f.Code != e.Code {
			e.Narrow = f.Code
		}
		return errorAnswer{e}
	}
	return errorAnswer{&wireError{Code: string(fault.Internal), Sentence: fault.Said("the applier failed; see its log")}}
}

// fromWire is toWire backwards. A code that we do not know comes from a newer applier
// and is no operator's business, like an internal error.
func fromWire(e *wireError) error {
	switch kind := fault.Kind(e.Code); kind {
	case fault.Invalid, fault.NotFound, fault.Conflict, fault.TooLarge, fault.TooMany, fault.Unavailable:
		f := fault.With(kind, e.Sentence)
		if e.Narrow != "" {
			f = f.WithCode(e.Narrow)
		}
		return f
	default:
		return fmt.Errorf("applier: %s: %s", e.Code, e.Message)
	}
}
