package system

import (
	"context"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
)

// Kept is something of the past that this node keeps.
type Kept struct {
	Name     string     `json:"name" example:"audit" doc:"What it is: changes (of the configuration), audit (entries), alerts, samples (of the graphs), logs (the journal), access-log (of the reverse proxy) or backups"`
	Rows     *int64     `json:"rows" doc:"Number of entries; null if it is not counted in entries, or not known"`
	Bytes    *int64     `json:"bytes" doc:"Disk space it takes; null if not known"`
	Oldest   *time.Time `json:"oldest_at" doc:"Time of the oldest entry; null if empty or not known"`
	MaxDays  *int64     `json:"max_days" doc:"Days that it is kept at most; null if it is not bounded by age"`
	MaxRows  *int64     `json:"max_rows" doc:"Number of entries kept at most; null if it is not bounded so"`
	MaxBytes *int64     `json:"max_bytes" doc:"Disk space at most; null if it is not bounded so, or not known"`
}

func (h *handlers) keptRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-kept", Method: http.MethodGet, Path: "/system/kept", Access: api.Viewer, AtOnce: 2,
		Summary:     "What this node keeps of the past, and how much at most",
		Description: "Old entries of changes, the audit log and alerts are removed every hour, of the rest as it grows. A change that is not live, or waits for confirmation, and an alert that lasts are kept however old they are.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[[]Kept], error) {
		out := []Kept{}
		for _, k := range h.Kept() {
			out = append(out, h.kept(ctx, k))
		}
		return api.OK(out), nil
	})
}

// kept looks at one of them. What cannot be read is not known, and hides nothing of the others.
func (h *handlers) kept(ctx context.Context, k component.Kept) Kept {
	out := Kept{Name: k.Name}
	amount, err := k.Amount(ctx)
	if err == nil {
		out.Rows, out.Bytes, out.Oldest = amount.Rows, &amount.Bytes, amount.Oldest
	}
	bound, boundErr := k.Bound(ctx)
	if boundErr == nil {
		out.MaxDays, out.MaxRows, out.MaxBytes = some(bound.Days), some(bound.Rows), some(bound.Bytes)
	}
	for _, err := range []error{err, boundErr} {
		if err != nil {
			h.Log.WarnContext(ctx, "look at what is kept", "what", k.Name, "err", err)
		}
	}
	return out
}

func some(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}
