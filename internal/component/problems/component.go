// Package problems answers what is wrong on this node now, and in which state each object
// is. Finding that is left to the components; here it is collected, ordered and offered.
package problems

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/component"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/process"
)

const name = "problems"

const (
	// maxListed bounds one answer; the counts are of all.
	maxListed = 200
	// every is how often a stream looks; where looking is slow it is a little less often.
	every  = time.Second
	seldom = 2 * time.Second
	settle = 300 * time.Millisecond
	share  = 5
)

// Options are what the component needs.
type Options struct {
	Database interface{ Up() bool }
	Now      func() time.Time
	Log      *slog.Logger
}

type handlers struct {
	*collector
	objects []string
	updates *component.Broadcast
}

func newHandlers(o Options, others []component.Component) *handlers {
	h := &handlers{collector: &collector{database: o.Database, now: o.Now, log: o.Log, news: component.NewBroadcast()}, updates: component.NewBroadcast()}
	for _, c := range others {
		if c.Problems.Find != nil {
			h.sources = append(h.sources, Named{c.Name, c.Problems, new(atomic.Bool)})
			h.objects = append(h.objects, c.Problems.Objects...)
		}
	}
	slices.Sort(h.objects)
	return h
}

// New returns the component that collects what the others find.
func New(o Options, others []component.Component) component.Component {
	h := newHandlers(o, others)
	return component.Component{
		Name: name, Routes: h.routes, Support: []component.Support{{File: "problems.json", Read: component.Answer("/problems")}},
		Listen: map[string]func(context.Context, string){apply.Channel: func(context.Context, string) {
			h.forget()
			h.updates.Notify()
		}},
	}
}

func (h *handlers) routes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "problems", Method: http.MethodGet, Path: "/problems", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "List what is wrong on this node now",
		Description: "The worst first. A problem disappears when its cause does. At most 200 are listed; the counts are of all.",
	}, h.list)
	api.Stream(r, api.Op{
		ID: "problems-live", Path: "/problems/live", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Stream: the same, on every change",
		Description: "Each message is what GET /problems returns: at once, and on every change.",
	}, h.stream)
	api.Handle(r, api.Op{
		ID: "object-states", Method: http.MethodGet, Path: "/problems/states/{id}", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "State of every object of a kind, derived from what runs",
		Description: "Only objects that are not in their normal state are listed. Kinds: " + listed(h.objects) + ".",
	}, h.statesOf)
}

func listed(kinds []string) string {
	text := ""
	for i, k := range kinds {
		if i > 0 {
			text += ", "
		}
		text += k
	}
	return text
}

// List is what is wrong now.
type List struct {
	Problems []problem.Problem `json:"problems" doc:"The problems, the worst first; at most 200"`
	Counts   Counts            `json:"counts" doc:"Number of problems by severity"`
	Unknown  []Unknown         `json:"unknown" doc:"Components whose problems could not be determined; what is not listed for them is not known to be fine"`
	Version  string            `json:"version" doc:"Changes whenever a problem or the state of an object changes"`
}

// Counts is how many there are of each severity.
type Counts struct {
	Critical int `json:"critical" doc:"Number of critical problems"`
	Error    int `json:"error" doc:"Number of errors"`
	Warning  int `json:"warning" doc:"Number of warnings"`
	Info     int `json:"info" doc:"Number of notes"`
}

// Unknown is a component that could not be asked.
type Unknown struct {
	Component string `json:"component" doc:"Name of the component" example:"proxy"`
	fault.Sentence
}

func newList(s *snapshot) List {
	l := List{Problems: s.problems[:min(len(s.problems), maxListed)], Unknown: s.unknown, Version: s.version}
	for _, p := range s.problems {
		switch p.Severity {
		case problem.Critical:
			l.Counts.Critical++
		case problem.Error:
			l.Counts.Error++
		case problem.Warning:
			l.Counts.Warning++
		case problem.Info:
			l.Counts.Info++
		}
	}
	return l
}

func (h *handlers) list(ctx context.Context, _ *struct{}) (*api.Body[List], error) {
	s, err := h.get(ctx)
	if err != nil {
		return nil, err
	}
	return api.OK(newList(s)), nil
}

func (h *handlers) stream(ctx context.Context, send func(any) error) error {
	sent := ""
	for {
		changed, news := h.updates.Wait(), h.news.Wait()
		s, err := h.get(ctx)
		if err != nil {
			return nil //nolint:nilerr // nobody waits any more
		}
		if s.version != sent {
			if err := send(newList(s)); err != nil {
				return err
			}
			sent = s.version
		}
		if !h.rest(ctx, changed, news, s) {
			return nil
		}
	}
}

// rest waits until it is worth to look again, or says that nobody listens any more.
func (h *handlers) rest(ctx context.Context, changed, news <-chan struct{}, s *snapshot) bool {
	wait := min(max(every, share*s.took), seldom)
	if len(s.unknown) > 0 {
		wait = every // who waits for somebody who does not answer is no load
	}
	again := time.NewTimer(wait)
	defer again.Stop()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-news: // somebody else looked: whoever listens hears the same at once
			return true
		case <-changed: // and often again at once: a change is several steps
			return process.Pause(ctx, max(settle, s.took))
		case <-look.C:
			if h.database.Up() != s.database {
				h.forget()
				return true
			}
		case <-again.C:
			return true
		}
	}
}

// ObjectStates are the states of one kind of object.
type ObjectStates struct {
	Known  bool           `json:"known" doc:"Whether the states could be determined; if not, none of the objects is known to be fine"`
	States problem.States `json:"states" doc:"State by id of the object; objects that are not listed are in their normal state"`
}

func (h *handlers) statesOf(ctx context.Context, in *struct {
	Kind string `path:"id" maxLength:"64" doc:"Kind of object" example:"domain"`
},
) (*api.Body[ObjectStates], error) {
	if !slices.Contains(h.objects, in.Kind) {
		return nil, fault.New(fault.NotFound, "no states are known for the kind %q", in.Kind)
	}
	s, err := h.get(ctx)
	if err != nil {
		return nil, err
	}
	states, known := s.states[in.Kind]
	if !known {
		states = problem.States{}
	}
	return api.OK(ObjectStates{Known: known, States: states}), nil
}
