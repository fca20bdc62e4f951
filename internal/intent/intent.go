// Package intent is what a caller may say about a change beyond the change itself (why,
// confirm within, only look), and what came of it. The HTTP edge reads and answers it,
// package change heeds it; neither needs to know the other for that.
package intent

import (
	"context"
	"encoding/json"
	"time"

	"gateway/internal/fault"
)

// Ask is what the caller says.
type Ask struct {
	Reason string
	// ConfirmWithin asks for the change to be undone unless somebody confirms it in time. One that
	// concerns no daemon takes effect for good.
	ConfirmWithin time.Duration
	// DryRun asks what would change, and changes nothing.
	DryRun bool
}

// How a change reached the daemons it concerns.
const (
	Live    = "live"
	Pending = "pending" // committed; the applier will, but has not yet
	Failed  = "failed"  // committed; the daemon did not take it and runs on what it had
)

// Outcome is what came of it. It stays empty when nothing was changed.
type Outcome struct {
	Change string         // its id
	Apply  string         // Live, Pending or Failed; empty when it concerns no daemon, and then it waits for nobody
	Why    fault.Sentence // of Pending and Failed, for the operator
}

type call struct {
	ask     Ask
	outcome Outcome
}

type key struct{}

// With begins a call.
func With(ctx context.Context, a Ask) context.Context {
	return context.WithValue(ctx, key{}, &call{ask: a})
}

// Of is what the caller said; nothing, outside of a call.
func Of(ctx context.Context) Ask {
	if c, ok := ctx.Value(key{}).(*call); ok {
		return c.ask
	}
	return Ask{}
}

// Report keeps what came of the call.
func Report(ctx context.Context, o Outcome) {
	if c, ok := ctx.Value(key{}).(*call); ok {
		c.outcome = o
	}
}

// Came is what was reported.
func Came(ctx context.Context) Outcome {
	if c, ok := ctx.Value(key{}).(*call); ok {
		return c.outcome
	}
	return Outcome{}
}

// Plan is what a dry run finds. It travels as an error, so that everything it passes
// undoes what was tried.
type Plan struct {
	Rows  []Row  `json:"rows" doc:"Rows that would be stored"`
	Files []File `json:"files" doc:"Changes of the daemons' files"`
}

// Error lets a plan travel as one.
func (*Plan) Error() string { return "this was a dry run" }

// Row is one row before and after.
type Row struct {
	Table     string          `json:"table" doc:"Database table"`
	Operation string          `json:"operation" enum:"INSERT,UPDATE,DELETE" doc:"What happens to the row"`
	Old       json.RawMessage `json:"old,omitempty" doc:"The row before, by column; absent for INSERT"`
	New       json.RawMessage `json:"new,omitempty" doc:"The row after, by column; absent for DELETE"`
}

// File is how one file changes.
type File struct {
	Component string `json:"component" doc:"Component that the file belongs to"`
	Path      string `json:"path" doc:"Absolute path on the node"`
	Diff      string `json:"diff" doc:"Unified diff; secrets are redacted"`
}
