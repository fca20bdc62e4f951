package resource

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

type creation[In any] struct {
	Body In
}

type replacement[In any] struct {
	One
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version this is based on; 412 when there is a newer one"`
	Body    In
}

type removal struct {
	One
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version to delete; 412 when there is a newer one"`
}

func (s *store[Row, In]) create(ctx context.Context, in *creation[In]) (*api.Created[Row], error) {
	if err := s.prepare(ctx, true, &in.Body); err != nil {
		return nil, err
	}
	id, err := newID(ctx)
	if err != nil {
		return nil, err
	}
	var made Row
	err = s.write(ctx, "create", s.subject(&in.Body, id), func(tx change.Tx) (err error) {
		values, err := s.values(ctx, tx, id, nil, &in.Body)
		if err != nil {
			return err
		}
		now := time.Now()
		values["id"], values["revision"], values["created_at"], values["updated_at"] = id, 1, now, now
		if made, err = s.insert(ctx, tx, values); err != nil {
			return err
		}
		return s.after(ctx, tx, nil, &made, &in.Body)
	})
	if err != nil {
		return nil, err
	}
	return &api.Created[Row]{ETag: etag(made), Location: api.Prefix + s.Path + "/" + id, Body: api.Envelope[Row]{Data: made}}, nil
}

type idKey struct{}

// WithID gives the next create its id, so that others of the same batch can refer to it.
func WithID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

func newID(ctx context.Context) (string, error) {
	id, ok := ctx.Value(idKey{}).(string)
	if !ok {
		return db.NewID(), nil
	}
	if !db.ValidID(id) {
		return "", fault.At("id", "must be a lower-case UUID")
	}
	return id, nil
}

// subject names a row that does not exist yet by its first searchable field, else by its id.
func (s *store[Row, In]) subject(in *In, id string) string {
	if len(s.Search) == 0 {
		return id
	}
	values := map[string]any{}
	collect(reflect.ValueOf(in).Elem(), values) // also those of a struct within
	value := reflect.ValueOf(values[s.Search[0]])
	if value.Kind() == reflect.Slice && value.Len() > 0 { // the first of a list is the main one
		value = value.Index(0)
	}
	if value.Kind() == reflect.String {
		return value.String()
	}
	return id
}

func (s *store[Row, In]) update(ctx context.Context, in *replacement[In]) (*api.Row[Row], error) {
	if err := s.prepare(ctx, false, &in.Body); err != nil {
		return nil, err
	}
	var made Row
	err := s.existing(ctx, "update", in.ID, in.IfMatch, func(tx change.Tx, old Row) error {
		values, err := s.values(ctx, tx, in.ID, &old, &in.Body)
		if err != nil {
			return err
		}
		values["revision"], values["updated_at"] = old.meta().Revision+1, time.Now()
		if made, err = s.replace(ctx, tx, in.ID, values); err != nil {
			return err
		}
		return s.after(ctx, tx, &old, &made, &in.Body)
	})
	if err != nil {
		return nil, err
	}
	return answer(made), nil
}

func (s *store[Row, In]) delete(ctx context.Context, in *removal) (*api.Body[*api.None], error) {
	err := s.existing(ctx, "delete", in.ID, in.IfMatch, func(tx change.Tx, old Row) error {
		if err := s.after(ctx, tx, &old, nil, nil); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.sql.delete, in.ID); err != nil {
			return fmt.Errorf("delete %s %s: %w", s.Noun, in.ID, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}

// Versioned are the parameters of an operation of a component's own on one row.
type Versioned struct {
	One
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version this is based on; 412 when there is a newer one"`
}

// Set writes columns of one row as an operation of the component's own: verb names it in the audit log.
func (d Resource[Row, In]) Set(ctx context.Context, q db.DB, run *change.Runner, verb string, in *Versioned, columns map[string]any) error {
	return d.Change(ctx, q, run, verb, in, func(change.Tx, Row) (map[string]any, error) { return columns, nil })
}

// Change is Set for columns that depend on the row, or on other rows, which find may write along.
func (d Resource[Row, In]) Change(ctx context.Context, q db.DB, run *change.Runner, verb string, in *Versioned, find func(tx change.Tx, old Row) (map[string]any, error)) error {
	s := d.store(q, run)
	return s.existing(ctx, verb, in.ID, in.IfMatch, func(tx change.Tx, old Row) error {
		columns, err := find(tx, old)
		if err != nil {
			return err
		}
		values := maps.Clone(columns)
		values["revision"], values["updated_at"] = old.meta().Revision+1, time.Now()
		_, err = s.replace(ctx, tx, in.ID, values)
		return err
	})
}

// existing runs fn on the row as it is now, held against the version the caller knows.
func (s *store[Row, In]) existing(ctx context.Context, verb, id, ifMatch string, fn func(tx change.Tx, old Row) error) error {
	// The subject is read first, outside: the change needs its name before it begins.
	seen, err := s.read(ctx, s.q, s.sql.get, id)
	if err != nil {
		return err
	}
	return s.write(ctx, verb, s.Name(seen), func(tx change.Tx) error {
		old, err := s.read(ctx, tx, s.sql.lock, id)
		if err != nil {
			return err
		}
		if err := s.matches(ifMatch, old); err != nil {
			return err
		}
		return fn(tx, old)
	})
}

// matches holds the version that the caller knows against the one that is stored.
func (s *store[Row, In]) matches(ifMatch string, old Row) error {
	if ifMatch == "" || ifMatch == "*" || ifMatch == etag(old) {
		return nil
	}
	f := fault.New(fault.Precondition, "someone else changed this %s; reload it and try again", spaced(s.Noun))
	f.Current = old
	return f
}

func (s *store[Row, In]) write(ctx context.Context, verb, subject string, fn func(tx change.Tx) error) error {
	c := change.Change{Component: s.Component, Action: s.action(verb), Subject: subject}
	return db.Fault(s.run.Run(ctx, c, fn), spaced(s.Noun), s.Unique)
}

func (s *store[Row, In]) prepare(ctx context.Context, creating bool, in *In) error {
	if s.Prepare == nil {
		return nil
	}
	return s.Prepare(ctx, creating, in)
}

func (s *store[Row, In]) after(ctx context.Context, tx change.Tx, old, now *Row, in *In) error {
	if s.After == nil {
		return nil
	}
	return s.After(ctx, tx, old, now, in)
}

// values are the columns to write: the fields of In and what is derived from them.
func (s *store[Row, In]) values(ctx context.Context, tx db.DB, id string, old *Row, in *In) (map[string]any, error) {
	if s.Validate != nil {
		if err := s.Validate(ctx, tx, old, in); err != nil {
			return nil, err
		}
	}
	values := map[string]any{}
	collect(reflect.ValueOf(in).Elem(), values)
	if s.Derive != nil {
		more, err := s.Derive(ctx, id, old, in)
		if err != nil {
			return nil, err
		}
		maps.Copy(values, more)
	}
	return values, nil
}

func collect(v reflect.Value, into map[string]any) {
	for f := range fields(v.Type()) {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			collect(v.FieldByIndex(f.Index), into)
		} else if tag := f.Tag.Get("db"); tag != "" && tag != "-" {
			into[tag] = v.FieldByIndex(f.Index).Interface()
		}
	}
}

func (s *store[Row, In]) insert(ctx context.Context, tx db.DB, values map[string]any) (Row, error) {
	names, places, args := spread(values)
	return s.returning(ctx, tx, fmt.Sprintf("insert into %s (%s) values (%s) returning %s",
		s.Table, strings.Join(names, ", "), strings.Join(places, ", "), s.sql.columns), args)
}

func (s *store[Row, In]) replace(ctx context.Context, tx db.DB, id string, values map[string]any) (Row, error) {
	names, places, args := spread(values)
	for i := range names {
		names[i] += " = " + places[i]
	}
	args = append(args, id)
	return s.returning(ctx, tx, fmt.Sprintf("update %s set %s where id = $%d returning %s",
		s.Table, strings.Join(names, ", "), len(args), s.sql.columns), args)
}

func (s *store[Row, In]) returning(ctx context.Context, tx db.DB, query string, args []any) (Row, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err == nil {
		var made Row
		if made, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Row]); err == nil {
			return made, nil
		}
	}
	var none Row
	return none, fmt.Errorf("write %s: %w", s.Noun, err)
}

// spread orders columns by name, so that one shape of change is one prepared statement.
func spread(values map[string]any) (names, places []string, args []any) {
	names = slices.Sorted(maps.Keys(values))
	for i, n := range names {
		places = append(places, fmt.Sprintf("$%d", i+1))
		args = append(args, values[n])
	}
	return names, places, args
}
