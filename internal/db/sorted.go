package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"
)

// Sorted is Versions for rows that this process sorts: then the database need neither sort ten
// thousand of them nor answer that many. The zero value of what follows the first four knows none.
type Sorted[Row any] struct {
	// Table, Where and Columns are what to read: "users", "active", "email, name".
	Table, Where, Columns string
	// Compare is the order of the rows; no two are the same.
	Compare func(a, b *Row) int
	// Made is called once for each version that was read, before anybody sees it; nil for nothing.
	Made func(*Row)

	known Versions[Row]
	order []named[Row]
}

type named[Row any] struct {
	version
	row *Row
}

// Load returns the rows in their order. They are shared: do not change them, nor the list.
func (s *Sorted[Row]) Load(ctx context.Context, q DB) ([]*Row, error) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.Table, s.known.Columns = s.Table, s.Columns
	rows, err := s.load(ctx, q)
	if errors.Is(err, errMoved) { // outside of a transaction; what is known now suffices mostly
		rows, err = s.load(ctx, q)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Table, err)
	}
	return rows, nil
}

func (s *Sorted[Row]) load(ctx context.Context, q DB) ([]*Row, error) {
	there, unknown, err := s.names(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := s.known.learn(ctx, q, unknown); err != nil {
		return nil, err
	}
	order := make([]named[Row], 0, len(there))
	for _, n := range s.order {
		if there[n.version] {
			order = append(order, n)
			delete(there, n.version)
		} else {
			delete(s.known.rows, n.version)
		}
	}
	var fresh []named[Row]
	for name := range there {
		row := s.known.rows[name]
		if row == nil {
			s.order = nil // what was forgotten above is read again
			clear(s.known.rows)
			return nil, errMoved
		}
		if s.Made != nil {
			s.Made(row)
		}
		fresh = append(fresh, named[Row]{name, row})
	}
	s.order = s.merged(order, fresh)
	out := make([]*Row, len(s.order))
	for i, n := range s.order {
		out[i] = n.row
	}
	return out, nil
}

// merged adds rows to those that are in order. Many are sorted with them, a few put where they belong.
func (s *Sorted[Row]) merged(order, fresh []named[Row]) []named[Row] {
	compare := func(a, b named[Row]) int { return s.Compare(a.row, b.row) }
	if len(fresh) > 100 {
		order = append(order, fresh...)
		slices.SortFunc(order, compare)
		return order
	}
	for _, n := range fresh {
		i, _ := slices.BinarySearchFunc(order, n, compare)
		order = slices.Insert(order, i, n)
	}
	return order
}

// names are the versions that there are, as one value, and the places of those that are not known.
func (s *Sorted[Row]) names(ctx context.Context, q DB) (there map[version]bool, unknown []pgtype.TID, err error) {
	var all []byte
	err = q.QueryRow(ctx, `select coalesce(string_agg(tidsend(ctid) || xidsend(xmin), ''::bytea), ''::bytea) from `+s.Table+` where `+s.Where).Scan(&all)
	if err != nil {
		return nil, nil, err
	}
	const each = 10 // four bytes for the block, two within it, four for the transaction
	there = make(map[version]bool, len(all)/each)
	for ; len(all) >= each; all = all[each:] {
		name := version{
			pgtype.TID{BlockNumber: binary.BigEndian.Uint32(all), OffsetNumber: binary.BigEndian.Uint16(all[4:]), Valid: true},
			binary.BigEndian.Uint32(all[6:]),
		}
		there[name] = true
		if s.known.rows[name] == nil {
			unknown = append(unknown, name.place)
		}
	}
	return there, unknown, nil
}
