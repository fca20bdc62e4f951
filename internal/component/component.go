// Package component is the contract between the API and the areas it offers: one folder per
// area, all of the same shape. It imports none of them; the list is package all. Beside the contract
// it has what several areas share: Broadcast, OrOff and InNoZone. What gateway-apply needs of an
// area's daemon is package daemon's.
package component

import (
	"context"
	"encoding/json"
	"io/fs"
	"time"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/problem"
)

// Component is one area of the product. Nil means "has none".
type Component struct {
	// Name is the component's one word: table prefix, URL, audit prefix, UI folder.
	Name string
	// Tables lists every table the component owns, exactly once over all components.
	Tables []Table
	// Migrations make those tables; their numbers are global.
	Migrations fs.FS
	// Routes registers the component's operations.
	Routes func(api.Router)
	// Listen handles database notifications, by channel, in gateway-api. An empty
	// payload means that some may have been missed.
	Listen map[string]func(ctx context.Context, payload string)
	// Jobs run periodically in gateway-scheduler.
	Jobs []Job
	// Background runs in gateway-scheduler as long as that does, with a database or without.
	Background func(ctx context.Context) error
	// Answers are given in gateway-scheduler, by channel, to what gateway-api asks by
	// db.Questions: the scheduler alone may speak to the outside.
	Answers map[string]func(ctx context.Context, question json.RawMessage) (any, error)
	// Objects say how the component's configuration is exported, in the order it is applied in.
	Objects []Object
	// Problems find what is wrong in the area now.
	Problems problem.Source
	// Kept are what the area keeps of the past, with its bounds.
	Kept []Kept
	// Values are what is measured in the area, for the graphs and for Prometheus.
	Values Values
	// Support are what support bundles tell of the area, beside its configuration and its files.
	Support []Support
}

// Table and its scopes are package db's; the names here save components an import.
type Table = db.Table

// The scopes of a table.
const (
	Replicated = db.Replicated
	NodeLocal  = db.NodeLocal
	History    = db.History
)

// Job is something gateway-scheduler does every so often, first one period after its start or, with AtStart, at it.
type Job struct {
	Name  string
	Where Where
	Every time.Duration
	// AtStart says that the first run is not to wait for a tick, only for the database.
	AtStart bool
	Run     func(context.Context) error
	// Within is how long a run may take; 0 is an hour. One that takes longer hangs, and
	// gateway-scheduler is started anew.
	Within time.Duration
}

// Where says which nodes of a cluster have a job to do. There are no clusters yet, and a single node does all of
// them: until then nobody reads it but the test that has every job say it.
type Where int

const (
	// OnPrimary is for what is stored once for all nodes: orders of certificates, old sessions.
	OnPrimary Where = iota + 1
	// OnEveryNode is for what each node has by itself: its traffic, the names it resolves.
	OnEveryNode
)

// Object is one kind of thing in the exported configuration.
type Object struct {
	Key  string // "zones": where it stands in the document
	Path string // "/dns/zones"
	// Single is a settings object: there is always exactly one.
	Single bool
	// Name are the fields that tell two of them apart.
	Name []string
	// Alike says that two of them may share even that: then their order tells them apart.
	Alike bool
	// Derived are the fields that the API answers and does not take.
	Derived []string
	// Refs are the fields that hold the id of another object, by the key of that kind in
	// the same component, or by "component.key" of one that comes before it in the list. The
	// document has the name instead: "zone_id" becomes "zone".
	Refs map[string]string
	// Optional are those of them that may be null.
	Optional []string
	// Expires is the field with the time after which one has no effect. The API takes none that
	// is over already, so a node that does not have it does without.
	Expires string
}

// Schema is what the component stores.
func (c Component) Schema() db.Schema {
	return db.Schema{Tables: c.Tables, Migrations: c.Migrations}
}

// Schemas collects what all components store.
func Schemas(all []Component) []db.Schema {
	out := make([]db.Schema, len(all))
	for i, c := range all {
		out[i] = c.Schema()
	}
	return out
}
