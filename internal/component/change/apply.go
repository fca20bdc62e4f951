package change

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// renderTime is how long a re-render of everything may take; the specification says so.
const renderTime = 30 * time.Second

func (h *handlers) applyRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "components", Method: http.MethodGet, Path: "/system/components", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "State of every managed component: configured, installed and running",
		Description: "Stage, hashes of the configured, installed and loaded files, manual edits, and the change that waits for confirmation.",
	}, h.states)
	api.Stream(r, api.Op{
		ID: "components-live", Path: "/system/components/live", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Stream: the same, on every change",
		Description: "Each message has the state of every component, as in GET /system/components: at once, on every change, and every 2 seconds.",
	}, h.stream)
	api.Handle(r, api.Op{
		ID: "update-component", Method: http.MethodPut, Path: "/system/components/{id}",
		Summary:     "Set how a component is applied on this node",
		Description: "Whether files that were edited manually are kept or overwritten.",
	}, h.update)
	api.Handle(r, api.Op{
		ID: "config-preview", Method: http.MethodGet, Path: "/system/config-preview", Access: api.Viewer, AtOnce: 2,
		Summary:     "The configured files of a component, secrets redacted",
		Description: "Writes no file and reloads nothing.",
	}, h.preview)
	api.Handle(r, api.Op{
		ID: "render-configs", Method: http.MethodPost, Path: "/system/render-configs", Timeout: renderTime + 10*time.Second,
		Summary:     "Render and apply every component again",
		Description: "Installs the files of every component and reloads the daemons whose files changed. A component with keep_edits keeps its manual edits. Takes at most 30 seconds.",
	}, h.renderAll)
}

func (h *handlers) states(ctx context.Context, _ *struct{}) (*api.Body[[]apply.State], error) {
	states, err := h.Applier.States(ctx)
	if err != nil {
		return nil, err
	}
	return api.OK(states), nil
}

// Handling is how a component is applied.
type Handling struct {
	KeepEdits *bool `json:"keep_edits" doc:"Keep manually edited managed files instead of overwriting them; nothing is installed over them meanwhile"`
}

func (h *handlers) update(ctx context.Context, in *struct {
	Name string `path:"id" maxLength:"64" doc:"Name of the component"`
	Body Handling
},
) (*api.Body[Handling], error) {
	if _, ok := h.Set.Find(in.Name); !ok {
		return nil, fault.New(fault.NotFound, "there is no managed component %q", in.Name)
	}
	keep := *in.Body.KeepEdits
	c := change.Change{Component: "change", Action: "system.component_update", Subject: in.Name, Detail: map[string]any{"keep_edits": keep}}
	if err := h.Run.Run(ctx, c, func(tx change.Tx) error { return change.KeepEdits(ctx, tx, in.Name, keep) }); err != nil {
		return nil, err
	}
	if _, err := h.Applier.Sync(ctx, in.Name); err != nil {
		h.Log.Warn("apply", "component", in.Name, "err", err) // it learns of it at its next round
	}
	return api.OK(in.Body), nil
}

// lookEvery is for what nobody announces: countdowns go on, an applier may be back, and without the database there is
// nobody to announce anything.
const lookEvery = 2 * time.Second

func (h *handlers) stream(ctx context.Context, send func(any) error) error {
	for {
		changed := h.updates.Wait()
		states, err := h.Applier.States(ctx)
		if _, worded := fault.Of(err); err != nil && !worded {
			return err
		}
		if states == nil {
			states = []apply.State{} // it is not there: nobody knows
		}
		if err := send(states); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-time.After(lookEvery):
		}
	}
}

// Preview is the text of one component's files.
type Preview struct {
	Component string            `json:"component" doc:"Component that the files belong to"`
	Files     map[string]string `json:"files" doc:"Text by path"`
}

func (h *handlers) preview(ctx context.Context, in *struct {
	Generator string `query:"generator" maxLength:"64" doc:"One component, by name; default all"`
},
) (*api.Body[[]Preview], error) {
	set := h.Set
	out := []Preview{}
	for _, c := range set.Configs {
		if in.Generator != "" && in.Generator != c.Name {
			continue
		}
		files, err := set.Preview(ctx, h.Pool, c.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, Preview{c.Name, files})
	}
	if len(out) == 0 {
		return nil, fault.At("generator", "there is no managed component of this name")
	}
	return api.OK(out), nil
}

// Rendered is how a re-render of everything went.
type Rendered struct {
	OK       bool                   `json:"ok" doc:"Whether all of them are live"`
	Rendered []string               `json:"rendered" doc:"Names of the components that were applied"`
	Errors   map[string]string      `json:"errors" doc:"Errors by component"`
	Words    map[string]fault.Words `json:"error_words" doc:"The errors for translations, by component"`
}

// renderAll asks for every component, also after one of them failed, and answers for
// all of them in time.
func (h *handlers) renderAll(ctx context.Context, _ *struct{}) (*api.Body[Rendered], error) {
	out := Rendered{OK: true, Rendered: []string{}, Errors: map[string]string{}, Words: map[string]fault.Words{}}
	c := change.Change{Component: "change", Action: "system.render_configs", Subject: "all components"}
	err := h.Run.Act(ctx, c, func(ctx context.Context) error {
		if err := h.syncAll(ctx, &out); err != nil || out.OK {
			return err
		}
		return fault.New(fault.Unavailable, "not live: %s", strings.Join(slices.Sorted(maps.Keys(out.Errors)), ", ")) // for the audit log
	})
	if err != nil && out.OK {
		return nil, err
	}
	slices.Sort(out.Rendered)
	return api.OK(out), nil
}

func (h *handlers) syncAll(ctx context.Context, out *Rendered) error {
	limited, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	var mu sync.Mutex
	var g errgroup.Group
	for _, c := range h.Set.Configs {
		g.Go(func() error {
			came, err := h.Applier.Sync(limited, c.Name)
			mu.Lock()
			defer mu.Unlock()
			out.add(c.Name, came, err)
			return nil
		})
	}
	return g.Wait()
}

func (r *Rendered) add(name string, came change.Applied, err error) {
	why := came.Why
	if err != nil {
		why = fault.Said("the applier did not answer in time; see its log (gateway-apply)")
		if f, ok := fault.Of(err); ok {
			why = fault.SentenceOf(f)
		}
	}
	if err == nil && came.State == intent.Live {
		r.Rendered = append(r.Rendered, name)
		return
	}
	r.OK = false
	r.Errors[name], r.Words[name] = why.Message, why.Words
}
