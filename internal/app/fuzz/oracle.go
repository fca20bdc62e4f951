package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is a way for an answer to be wrong.
type Kind string

// The kinds.
const (
	Panic              Kind = "panic"
	ServerError        Kind = "500"
	Undocumented5xx    Kind = "undocumented 5xx"
	Unavailable        Kind = "503 for no reason"
	OutsideEnvelope    Kind = "outside the envelope"
	UndocumentedStatus Kind = "undocumented status"
	ContentType        Kind = "undocumented content type"
	Schema             Kind = "not as its schema says"
	Echo               Kind = "echoes a secret"
	Slow               Kind = "slow"
	NoAnswer           Kind = "no answer"
	Reason             Kind = "logged reason of a 500" // explains a ServerError, and is none of its own
)

// slowest is how long any answer may take.
const slowest = 5 * time.Second

// Finding is one way of being wrong: who answered so, how often, and to what.
type Finding struct {
	Kind    Kind
	Detail  string
	Ops     []string
	Times   int
	Example string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s (%d times: %s)\n%s", f.Kind, f.Detail, f.Times, strings.Join(f.Ops, ", "), f.Example)
}

// findings are kept once per kind and detail. The shortest example is the one that
// is easiest to understand.
type findings struct {
	mu   sync.Mutex
	list []*Finding
}

func (f *findings) add(kind Kind, op, detail, example string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.list, func(known *Finding) bool { return known.Kind == kind && known.Detail == detail })
	if i < 0 {
		i = len(f.list)
		f.list = append(f.list, &Finding{Kind: kind, Detail: detail, Example: example})
	}
	known := f.list[i]
	known.Times++
	if !slices.Contains(known.Ops, op) {
		known.Ops = append(known.Ops, op)
	}
	if len(example) < len(known.Example) {
		known.Example = example
	}
}

// judge holds one answer against everything that is promised of it.
func (d *Driver) judge(r *request, a *answer) {
	op := "(none)"
	if r.op != nil {
		op = r.op.OperationID
	}
	report := func(kind Kind, err error) {
		if err != nil {
			d.found.add(kind, op, err.Error(), d.example(r, a))
		}
	}
	if a.took > slowest {
		report(Slow, fmt.Errorf("takes longer than %s", slowest))
	}
	if bytes.Contains(a.body, []byte(canary)) {
		report(Echo, errors.New("the answer has a secret that was sent"))
	}
	if a.status == http.StatusInternalServerError {
		report(ServerError, fmt.Errorf("%s fails", op))
	}
	report(OutsideEnvelope, enveloped(r, a))
	report(Unavailable, excused(a))
	if r.op == nil {
		report(UndocumentedStatus, unrouted(r, a))
		return
	}
	if r.op.response(a.status) == nil {
		kind := UndocumentedStatus
		if a.status >= http.StatusInternalServerError {
			kind = Undocumented5xx
		}
		report(kind, fmt.Errorf("%d is not in the document", a.status))
		return
	}
	report(ContentType, typed(r, a))
	report(Schema, asDocumented(r, a))
}

// example is all that is needed to see the same again.
func (d *Driver) example(r *request, a *answer) string {
	return fmt.Sprintf("%s\n  answer: %d %s %s\n  seed %d", r, a.status, a.header.Get("Content-Type"), clip(string(a.body)), d.Seed)
}

// unrouted is about requests that belong to no operation. What is not below /api is
// the SPA's, which answers everything with its page.
func unrouted(r *request, a *answer) error {
	if !strings.HasPrefix(r.target, "/api") || slices.Contains([]int{400, 401, 403, 404, 405, 413, 415}, a.status) {
		return nil
	}
	return fmt.Errorf("%d where nothing is registered", a.status)
}

// enveloped: JSON is {data, error}, one of the two null. Only what the document
// declares without a schema (this very document) may answer other JSON, and only on success.
func enveloped(r *request, a *answer) error {
	if essence(a.header.Get("Content-Type")) != "application/json" || r.method == http.MethodHead {
		return nil
	}
	if a.status < http.StatusBadRequest && r.raw(a) {
		return nil
	}
	env, err := open(a.body)
	if err != nil {
		return err
	}
	failed := a.status >= http.StatusBadRequest
	if hasError := string(env["error"]) != "null"; hasError != failed {
		return fmt.Errorf("status %d with error %t", a.status, hasError)
	}
	if failed && string(env["data"]) != "null" {
		return errors.New("a failure has data")
	}
	return nil
}

func (r *request) raw(a *answer) bool {
	if r.op == nil {
		return false
	}
	documented := r.op.response(a.status)
	if documented == nil {
		return false
	}
	m := media(documented, a.header.Get("Content-Type"))
	return m != nil && m.Schema == nil
}

// open takes an envelope apart.
func open(body []byte) (map[string]json.RawMessage, error) {
	var env map[string]json.RawMessage
	if err := json.Unmarshal(body, &env); err != nil {
		return nil, errors.New("the body is not one JSON object")
	}
	_, data := env["data"]
	_, failure := env["error"]
	if !data || !failure || len(env) != 2 {
		return nil, errors.New("the body is not exactly data and error")
	}
	return env, nil
}

// excused: the database is up all the time, so only what else a node can lack is a reason.
func excused(a *answer) error {
	if a.status != http.StatusServiceUnavailable {
		return nil
	}
	if len(a.body) == 0 {
		return nil // the answer to a HEAD does not say why
	}
	var env struct{ Error struct{ Code string } }
	_ = json.Unmarshal(a.body, &env) // judged already
	if slices.Contains([]string{"timeout", "busy", "applier_unavailable", "apt_unavailable", "ntp_unavailable", "radius_unavailable", "journal_unavailable"}, env.Error.Code) {
		return nil
	}
	return fmt.Errorf("503 %q", env.Error.Code)
}

// typed: the content type is there, and is the one of the document.
func typed(r *request, a *answer) error {
	if a.status == http.StatusSwitchingProtocols {
		return nil
	}
	kind := a.header.Get("Content-Type")
	if kind == "" {
		return fmt.Errorf("%d has no content type", a.status)
	}
	if media(r.op.response(a.status), kind) == nil {
		return fmt.Errorf("%d is %s", a.status, essence(kind))
	}
	return nil
}

func asDocumented(r *request, a *answer) error {
	m := media(r.op.response(a.status), a.header.Get("Content-Type"))
	if m == nil || m.Schema == nil || r.method == http.MethodHead {
		return nil
	}
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return errors.New("the body is not JSON")
	}
	return conforms("body", v, m.Schema)
}

// searchLog finds panics and secrets in what the process logged, and the reasons of
// the failures that callers were not told.
func (d *Driver) searchLog(text string) {
	for line := range strings.Lines(text) {
		_, what, panicked := strings.Cut(line, "panic")
		_, reason, failed := strings.Cut(line, "status=500 err=")
		switch {
		case panicked:
			d.found.add(Panic, "log", clip(strings.TrimSpace(what)), clip(line))
		case strings.Contains(line, canary):
			d.found.add(Echo, "log", "the log has a secret that was sent", clip(line))
		case failed:
			d.found.add(Reason, "log", clip(strings.TrimSpace(reason)), clip(line))
		}
	}
}
