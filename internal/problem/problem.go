// Package problem is the one model of what is wrong now: the indicator, the lists, the
// dashboard, gateway-ctl and alerts show the same. Each component finds its own problems;
// gateway/internal/component/problems collects them. A problem is stored nowhere: it is gone
// when its cause is.
package problem

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gateway/internal/fault"
)

// Severity says how much it matters.
type Severity string

// The severities, in ascending order.
const (
	Info     Severity = "info"     // worth knowing
	Warning  Severity = "warning"  // still works, but not for sure or not for long
	Error    Severity = "error"    // something does not work
	Critical Severity = "critical" // the gateway, or all of one kind, does not work
)

// Severities are all of them, the worst first.
func Severities() []Severity { return []Severity{Critical, Error, Warning, Info} }

// Compare puts the worse one first.
func (s Severity) Compare(other Severity) int {
	return slices.Index(Severities(), s) - slices.Index(Severities(), other)
}

// Subject is what a problem is about, or what it affects.
type Subject struct {
	Kind string `json:"kind" doc:"Kind of object" example:"backend"`
	ID   string `json:"id" doc:"Its id; for what has none, its name in the API" example:"dns"`
	Name string `json:"name" doc:"Its name as the operator knows it" example:"shop"`
}

// Params are the values that a message names: strings, numbers, times, and sentences, which are
// sent as their message with their words beside it: "why" and "why_words".
type Params map[string]any

func (p Params) flat() Params {
	out := make(Params, len(p))
	for name, v := range p {
		s, is := v.(fault.Sentence)
		if !is {
			out[name] = v
			continue
		}
		out[name] = s.Message
		if words := s.Beside(); words != nil {
			out[name+"_words"] = words
		}
	}
	return out
}

// Kind is one kind of problem: its code, and the words for it. {name} in the words is a
// parameter. The browser has its own words by the code, in two languages; these are for
// gateway-ctl, the API and the log.
type Kind struct {
	Code     string // component, dot, what is wrong: "proxy.server_down"
	Severity Severity
	Message  string // what is wrong and why
	Remedy   string // what to do
	Alert    string // kind of the alert about it, where that is not "problem." and the code
}

// AlertKind is what alerts about it are called.
func (k Kind) AlertKind() string {
	if k.Alert != "" {
		return k.Alert
	}
	return "problem." + k.Code
}

// Problem is one thing that is wrong now.
type Problem struct {
	Code         string    `json:"code" doc:"Machine-readable kind of the problem: component, dot, what is wrong" example:"proxy.server_down"`
	Severity     Severity  `json:"severity" enum:"info,warning,error,critical" doc:"How serious it is: info is worth knowing, a warning still works, an error does not, critical affects the whole gateway"`
	Subject      Subject   `json:"subject" doc:"The object that has the problem"`
	Params       Params    `json:"params" doc:"Values for the message, by name"`
	Message      string    `json:"message" doc:"What is wrong, in English"`
	Remedy       string    `json:"remedy" doc:"What to do about it, in English"`
	Since        time.Time `json:"since" doc:"Since when, as far as known; otherwise when this process first saw it"`
	Link         string    `json:"link" doc:"Page of the UI where it can be fixed" example:"/proxy/pools/0190"`
	Affects      []Subject `json:"affects" doc:"Objects that do not work, or not fully, because of it; the first 20"`
	AffectsTotal int       `json:"affects_total" doc:"Number of affected objects"`

	// Alert is the kind of the alert about it. Also are problems that alerts tell beside this one,
	// where the list has one line for both.
	Alert string    `json:"-"`
	Also  []Problem `json:"-"`
}

// MaxAffects bounds how many affected objects a problem names: one dead backend may carry
// thousands of domains.
const MaxAffects = 20

// On makes a problem of this kind. Where it is not known since when, leave Since to the
// collector.
func (k Kind) On(subject Subject, link string, params Params) Problem {
	return Problem{
		Code: k.Code, Severity: k.Severity, Subject: subject, Params: params.flat(), Link: link,
		Message: k.Text(params), Remedy: fill(k.Remedy, params), Affects: []Subject{}, Alert: k.AlertKind(),
	}
}

// Text is the message with its parameters. It begins with a capital, also where it begins with a
// sentence; a name keeps its letters.
func (k Kind) Text(params Params) string {
	text := fill(k.Message, params)
	for name, v := range params {
		if _, is := v.(fault.Sentence); is && strings.HasPrefix(k.Message, "{"+name+"}") {
			first, size := utf8.DecodeRuneInString(text)
			return string(unicode.ToUpper(first)) + text[size:]
		}
	}
	return text
}

// SinceAt sets since when, if that is known.
func (p Problem) SinceAt(at *time.Time) Problem {
	if at != nil {
		p.Since = at.UTC()
	}
	return p
}

// As overrides the severity of its kind.
func (p Problem) As(s Severity) Problem {
	p.Severity = s
	return p
}

// Affecting names what does not work because of it.
func (p Problem) Affecting(all []Subject) Problem {
	p.AffectsTotal = len(all)
	p.Affects = append([]Subject{}, all[:min(len(all), MaxAffects)]...)
	return p
}

// Key tells problems apart.
func (p Problem) Key() string { return p.Code + "\n" + p.Subject.Kind + "\n" + p.Subject.ID }

// State is the state of one object, derived from what runs.
type State struct {
	State   string `json:"state" doc:"State of the object; which there are depends on its kind" example:"down"`
	Code    string `json:"code" doc:"Code of the reason, as in a problem; empty when it is the operator's own choice" example:"proxy.backend_down"`
	Params  Params `json:"params" doc:"Values for the reason, by name"`
	Message string `json:"message" doc:"The reason in English"`
}

// Because is a state with the kind of problem behind it.
func (k Kind) Because(state string, params Params) State {
	return State{State: state, Code: k.Code, Params: params.flat(), Message: k.Text(params)}
}

// Chosen is a state that the operator wants: disabled, maintenance.
func Chosen(state string) State { return State{State: state, Params: Params{}} }

// States are those of the objects of one kind, by id. Who is missing works as it should.
type States map[string]State

// Report is what a component found.
type Report struct {
	Problems []Problem
	States   map[string]States // by kind of object
}

// Add notes one more problem.
func (r *Report) Add(p Problem) { r.Problems = append(r.Problems, p) }

// Source finds the problems of one component.
type Source struct {
	// Kinds are all kinds of problems that it can find or give as a reason.
	Kinds []Kind
	// Objects are the kinds of objects whose states it tells.
	Objects []string
	// Find looks. With an error, the rest of the report still holds, and states are unknown.
	Find func(ctx context.Context) (Report, error)
}

func fill(text string, params Params) string {
	for name, v := range params {
		text = strings.ReplaceAll(text, "{"+name+"}", word(v))
	}
	return text
}

func word(v any) string {
	if at, ok := v.(time.Time); ok {
		return at.UTC().Format("2006-01-02 15:04 UTC")
	}
	return fmt.Sprint(v)
}
