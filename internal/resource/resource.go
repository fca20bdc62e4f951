// Package resource turns one declaration into the five operations of a resource:
// list, get, create, update and delete, with paging, search, sorting, ETag,
// validation and audit. What makes a value right is left to the component that declares it.
package resource

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
)

// Meta is what every resource has; embed it first in the row type.
type Meta struct {
	ID        string    `json:"id" db:"id" doc:"Opaque"`
	Revision  int64     `json:"revision" db:"revision" doc:"Grows with every change; also the ETag"`
	CreatedAt time.Time `json:"created_at" db:"created_at" doc:"When it was created, in UTC"`
	UpdatedAt time.Time `json:"updated_at" db:"updated_at" doc:"When it was last changed, in UTC"`
}

func (m Meta) meta() Meta { return m }

// row is any struct that embeds Meta.
type row interface{ meta() Meta }

// Resource declares one resource. Row is what reads answer and what a table row
// becomes, In what create and update take; fields carry db tags (and `db:"-"` where a
// field of In is not a column of its own).
type Resource[Row row, In any] struct {
	Component string   // "dns"
	Noun      string   // "zone": audit actions are dns.zone.create, …
	Path      string   // "/dns/zones"
	Table     string   // "dns_zones"; has the columns of Meta
	Search    []string // columns that q looks in
	Sort      []string // columns that sort may name; the first is the default
	Filter    []string // columns that filter may name
	Unique    map[string]string
	// Computed are columns of Row that the table does not have, as SQL on its other columns.
	Computed map[string]string
	Access   api.Access // of the reads; Viewer for most
	// Lasting: a row can give whoever writes it a power that outlasts the session, see api.Op. So can one that comes back.
	Lasting bool
	// Name is how the audit log and messages call a row.
	Name func(Row) string
	// Prepare runs before anything is locked: for work that takes long, like hashing a password.
	Prepare func(ctx context.Context, creating bool, in *In) error
	// Validate holds what a tag cannot say; old is nil on create.
	Validate func(ctx context.Context, tx db.DB, old *Row, in *In) error
	// Derive gives the columns that are no field of In: hashes, sealed secrets. id is the row's.
	Derive func(ctx context.Context, id string, old *Row, in *In) (map[string]any, error)
	// After runs in the same transaction, once the row is written, or before it is deleted.
	// old is nil on create, now and in on delete.
	After func(ctx context.Context, tx change.Tx, old, now *Row, in *In) error
}

// Register adds the five operations to r.
func (d Resource[Row, In]) Register(r api.Router, q db.DB, run *change.Runner) {
	s := d.store(q, run)
	run.UndoBy(d.Table, s.undo)
	api.Inherit[Row, In](r)
	many := plural(d.Noun)
	id := func(verb, noun string) string { return verb + "-" + d.scope() + noun }
	api.Handle(r, api.Op{
		ID: id("list", many), Method: http.MethodGet, Path: d.Path, Access: d.Access,
		Summary: "List " + spaced(many), Description: d.listHelp(),
	}, s.list)
	api.Handle(r, api.Op{
		ID: id("get", d.Noun), Method: http.MethodGet, Path: d.Path + "/{id}", Access: d.Access,
		Summary: "Get one " + spaced(d.Noun), Description: getHelp,
	}, s.get)
	api.Handle(r, api.Op{
		ID: id("create", d.Noun), Method: http.MethodPost, Path: d.Path, Config: true, Lasting: d.Lasting, Status: http.StatusCreated,
		Summary: "Create " + one(d.Noun), Description: createHelp,
	}, s.create)
	api.Handle(r, api.Op{
		ID: id("update", d.Noun), Method: http.MethodPut, Path: d.Path + "/{id}", Config: true, Lasting: d.Lasting,
		Summary: "Replace " + one(d.Noun), Description: replaceHelp,
	}, s.update)
	api.Handle(r, api.Op{
		ID: id("delete", d.Noun), Method: http.MethodDelete, Path: d.Path + "/{id}", Config: true,
		Summary: "Delete " + one(d.Noun), Description: deleteHelp,
	}, s.delete)
}

func (d Resource[Row, In]) store(q db.DB, run *change.Runner) *store[Row, In] {
	return &store[Row, In]{Resource: d, q: q, run: run, sql: statements(d)}
}

// action is the audit action of a verb. A component whose only noun is its own name says it once.
func (d Resource[Row, In]) action(verb string) string {
	if d.Component == d.Noun {
		return d.Noun + "." + verb
	}
	return d.Component + "." + strings.ReplaceAll(d.Noun, "-", "_") + "." + verb
}

func (d Resource[Row, In]) scope() string {
	if d.Component == d.Noun {
		return ""
	}
	return d.Component + "-"
}

// one is the noun with its article. A user and a UPS begin with a vowel only on paper.
func one(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + spaced(noun)
	}
	return "a " + spaced(noun)
}

func spaced(s string) string { return strings.ReplaceAll(s, "-", " ") }

func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "s"):
		return noun + "es"
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	return noun + "s"
}

// sql holds the statements of one resource, written once.
type sql struct {
	columns  string // of Row, in the order of its fields
	list     string // up to the where clause
	count    string
	get      string
	lock     string
	delete   string
	matches  string // what q is held against, as $1
	sortable map[string]bool
}

func statements[Row row, In any](d Resource[Row, In]) sql {
	names := columnsOf(reflect.TypeFor[Row]())
	for i, n := range names {
		if expression := d.Computed[n]; expression != "" {
			names[i] = expression + " as " + n
		}
	}
	columns := strings.Join(names, ", ")
	s := sql{columns: columns, sortable: map[string]bool{}}
	s.list = fmt.Sprintf("select %s from %s", columns, d.Table)
	s.count = "select count(id) from " + d.Table
	s.get = s.list + " where id = $1"
	s.lock = s.get + " for update"
	s.delete = "delete from " + d.Table + " where id = $1"
	var terms []string
	for _, c := range d.Search {
		terms = append(terms, cmp.Or(d.Computed[c], c)+"::text ilike $1")
	}
	s.matches = strings.Join(terms, " or ")
	for _, c := range d.Sort {
		s.sortable[c] = true
	}
	return s
}

// columnsOf lists a struct's columns in the order pgx scans them.
func columnsOf(t reflect.Type) []string {
	var names []string
	for f := range fields(t) {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			names = append(names, columnsOf(f.Type)...)
			continue
		}
		if tag := f.Tag.Get("db"); tag != "" && tag != "-" {
			names = append(names, tag)
		} else if tag == "" {
			panic(fmt.Sprintf("%s.%s lacks a db tag", t, f.Name))
		}
	}
	return names
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}
