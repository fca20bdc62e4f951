package resource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// undo is one row's step back. It is judged like the operation that an operator would have
// called for it: created by Validate, replaced by Validate, deleted by After, and followed
// by what else belongs to it.
func (s *store[Row, In]) undo(ctx context.Context, tx change.Tx, step change.Step) error {
	if s.Lasting && !step.Gone {
		if err := api.Proven(ctx); err != nil {
			return err
		}
	}
	if step.Direct {
		return step.Write()
	}
	if step.Gone {
		old, err := s.read(ctx, tx, s.sql.get, step.ID)
		if err != nil {
			return err
		}
		if err := s.after(ctx, tx, &old, nil, nil); err != nil {
			return err
		}
		return step.Write()
	}
	in, err := s.asInput(ctx, tx, step)
	if err != nil {
		return err
	}
	var old *Row
	if !step.Made {
		row, err := s.read(ctx, tx, s.sql.get, step.ID)
		if err != nil {
			return err
		}
		old = &row
	}
	if err := s.fits(ctx, tx, step, old, in); err != nil {
		return err
	}
	if err := step.Write(); err != nil {
		return err
	}
	now, err := s.read(ctx, tx, s.sql.get, step.ID)
	if err != nil {
		return err
	}
	return s.after(ctx, tx, old, &now, in)
}

// fits judges the row as it was. What is written is that row and not the input, so an
// operation that would now store another one (a name in a zone that is called otherwise
// since) refuses it.
func (s *store[Row, In]) fits(ctx context.Context, tx change.Tx, step change.Step, old *Row, in *In) error {
	sent := map[string]any{}
	collect(reflect.ValueOf(in).Elem(), sent)
	stored, err := s.values(ctx, tx, step.ID, old, in)
	if err != nil {
		return err
	}
	was := image{}
	if err := json.Unmarshal(step.Image, &was); err != nil {
		return fmt.Errorf("read %s %s as it was: %w", s.Noun, step.ID, err)
	}
	for column, value := range stored {
		given, own := sent[column]
		if own && !reflect.DeepEqual(given, value) || !own && was.differs(column, value) {
			return fault.New(fault.Conflict, "the earlier state of this %s conflicts with later changes; set it again by hand", spaced(s.Noun)).WithCode("revert_conflict")
		}
	}
	return nil
}

// image is a row by column, as far as it goes back.
type image map[string]json.RawMessage

// differs holds a derived text against the image; secrets and times are no part of this.
func (m image) differs(column string, value any) bool {
	text, ok := value.(string)
	raw, kept := m[column]
	if !ok || !kept {
		return false
	}
	var was string
	return json.Unmarshal(raw, &was) == nil && was != text
}

// asInput is what the operator would have to send for the row to be as it was. What is not
// stored as it was sent (a password) is left out.
func (s *store[Row, In]) asInput(ctx context.Context, q db.DB, step change.Step) (*In, error) {
	in := new(In)
	table := pgx.Identifier{s.Table}.Sanitize()
	from := fmt.Sprintf("(select (jsonb_populate_record(t, $2::jsonb)).* from %s t where id = $1) as %s", table, table)
	if step.Made {
		from = fmt.Sprintf("(select $1::uuid as step, (jsonb_populate_record(null::%s, $2::jsonb)).*) as %s", table, table)
	}
	was, err := s.returning(ctx, q, fmt.Sprintf("select %s from %s", s.sql.columns, from), []any{step.ID, string(step.Image)})
	if err != nil && step.Made { // it lacks a column that an upgrade brought since
		return nil, errors.Join(fault.New(fault.Conflict, "this %s is from an earlier version; set it again by hand", spaced(s.Noun)).WithCode("not_revertible"), err)
	}
	if err != nil {
		return nil, err
	}
	if names, places := scannable(reflect.ValueOf(in).Elem()); len(names) > 0 {
		for i, name := range names { // as the API answers it, which is as it takes it
			names[i] = cmp.Or(s.Computed[name], pgx.Identifier{name}.Sanitize())
		}
		query := fmt.Sprintf("select %s from %s", strings.Join(names, ", "), from)
		if err := q.QueryRow(ctx, query, step.ID, string(step.Image)).Scan(places...); err != nil {
			return nil, fmt.Errorf("read %s %s as it was: %w", s.Noun, step.ID, err)
		}
	}
	fill(reflect.ValueOf(in).Elem(), reflect.ValueOf(was))
	return in, nil
}

// fill sets the fields that are no columns of their own to what the row answers under the same name.
func fill(in, row reflect.Value) {
	for f := range fields(in.Type()) {
		if f.Tag.Get("db") != "-" || !f.IsExported() {
			continue
		}
		for g := range fields(row.Type()) {
			if g.Tag.Get("db") != "" && jsonName(f) == jsonName(g) && g.Type.AssignableTo(f.Type) {
				in.FieldByIndex(f.Index).Set(row.FieldByIndex(g.Index))
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// scannable are the columns among the fields of a struct, and where to put their values.
func scannable(v reflect.Value) (names []string, places []any) {
	for f := range fields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			more, at := scannable(value)
			names, places = append(names, more...), append(places, at...)
		} else if tag := f.Tag.Get("db"); tag != "" && tag != "-" {
			names, places = append(names, tag), append(places, value.Addr().Interface())
		}
	}
	return names, places
}
