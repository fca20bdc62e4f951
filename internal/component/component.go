// Package component is the contract between the product and its parts: one folder
// per managed daemon or area, all of the same shape. It names no daemon; the list
// of parts is package all.
package component

import (
	"context"
	"io/fs"
	"time"

	"gateway/internal/api"
	"gateway/internal/db"
)

// Component is one part of the product. Nil means "has none".
type Component struct {
	// Name is the part's one word: table prefix, URL, audit prefix, UI folder.
	Name string
	// Units are the systemd units behind it, for the services list, restarts and logs.
	Units []string
	// Tables lists every table the part owns, exactly once over all parts.
	Tables []Table
	// Migrations make those tables; their numbers are global.
	Migrations fs.FS
	// Routes registers the part's operations.
	Routes func(api.Router)
	// Listen handles database notifications, by channel, in gateway-api. An empty
	// payload means that some may have been missed.
	Listen map[string]func(ctx context.Context, payload string)
	// Jobs run periodically in gateway-scheduler.
	Jobs []Job

	// Render turns rows into files. It is a pure function of what q holds, so that it
	// also runs on uncommitted rows, and its result can be held against another one.
	Render func(ctx context.Context, q db.DB, unseal Unseal) (Rendering, error)
	// Check lets the daemon itself judge files staged below dir, each under its full
	// path: dir/etc/unbound/…. It words a refusal as a fault, without the daemon's own
	// text: that may quote files.
	Check func(ctx context.Context, dir string) error
	// Unchecked reports whether the step from old, which passed Check, to now is so
	// plain that it passes too. Nil means that every step is checked. A zero old is none:
	// then it is now alone that must be so plain.
	Unchecked func(old, now Rendering) bool
	// Apply makes the daemon run on now, whose files are installed: hot where it can, else
	// by a reload. A zero old means that nobody knows what it runs on.
	Apply func(ctx context.Context, old, now Rendering) error
	// Folders hold nothing but files of this part: what else is found there is removed.
	Folders []string
	// Running tells apart what runs, where that is no unit's process: it answers the same as
	// long as nobody else touched it, and nothing when there is nothing.
	Running func(ctx context.Context) (string, error)
	// Background runs in gateway-apply as long as that does; again has the part applied anew.
	Background func(ctx context.Context, again func()) error
	// Guard refuses a change that the daemon would take and the operator would regret. was is
	// what is stored, now what would be.
	Guard func(ctx context.Context, was, now db.DB) error
	// Keep refuses to keep a change that waited to be confirmed, by what is stored with it.
	Keep func(ctx context.Context, q db.DB) error
	// Reads are the tables of other parts that the files depend on too.
	Reads []string
	// Needs is what the packet filter must do for this part.
	Needs Needs
	// Verbs are what the part does, by name, in gateway-apply, where the privilege is.
	Verbs map[string]Verb
	// Objects say how the part's configuration is exported, in the order it is applied in.
	Objects []Object
}

// Table and its scopes are package db's; the names here save parts an import.
type Table = db.Table

// The scopes of a table.
const (
	Replicated = db.Replicated
	NodeLocal  = db.NodeLocal
	History    = db.History
)

// Job is something gateway-scheduler does every so often, first one period after its start.
type Job struct {
	Name  string
	Every time.Duration
	Run   func(context.Context) error
}

// Schema is what the part stores.
func (c Component) Schema() db.Schema {
	return db.Schema{Tables: c.Tables, Migrations: c.Migrations}
}

// Schemas collects what all parts store.
func Schemas(parts []Component) []db.Schema {
	all := make([]db.Schema, len(parts))
	for i, c := range parts {
		all[i] = c.Schema()
	}
	return all
}
