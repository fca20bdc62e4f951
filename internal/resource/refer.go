package resource

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Exists answers 404 for an owner that is not there.
func Exists(table, noun string) func(context.Context, db.DB, string) error {
	return func(ctx context.Context, q db.DB, id string) error {
		var there bool
		if err := q.QueryRow(ctx, `select exists (select from `+table+` where id = $1)`, id).Scan(&there); err != nil {
			return fmt.Errorf("look for %s %s: %w", noun, id, err)
		}
		if !there {
			return fault.New(fault.NotFound, "there is no such %s", noun)
		}
		return nil
	}
}

// UsesOf finds who refers to an object, whatever their kind: uses is SQL for kind, id, name and page
// of each, and key are its parameters.
func UsesOf(ctx context.Context, q db.DB, uses string, key ...any) (fault.Uses, error) {
	type counted struct {
		Kind, ID, Name, Link string
		Total                int
	}
	// Tables do not agree on how names are sorted.
	rows, err := db.List[counted](ctx, q, fmt.Sprintf(`select kind, id, name, link, count(*) over ()
		from (%s) u (kind, id, name, link) order by kind, name collate "C", id limit %d`, uses, fault.MostUses), key...)
	if err != nil {
		return fault.Uses{}, fmt.Errorf("look who uses %v: %w", key, err)
	}
	var found fault.Uses
	for _, r := range rows {
		found.UsedBy = append(found.UsedBy, fault.Use{Kind: r.Kind, ID: r.ID, Name: r.Name, Link: r.Link})
		found.UsedByTotal = r.Total
	}
	return found, nil
}

// RefuseUsed keeps what others refer to: why words the refusal, which also names them.
func RefuseUsed(ctx context.Context, q db.DB, why func(fault.Uses) *fault.Fault, uses string, key ...any) error {
	found, err := UsesOf(ctx, q, uses, key...)
	if err != nil || found.UsedByTotal == 0 {
		return err
	}
	return why(found).WithCode("in_use").WithUses(found)
}

// InUse refuses to delete what others refer to, in the same words everywhere, and says who they are: at least one.
func InUse(noun string, u fault.Uses) *fault.Fault {
	first := u.UsedBy[0]
	f := fault.New(fault.Conflict, "this %s is still used by %s %q; remove or replace it there first", noun, nounOf(first.Kind), first.Name)
	if more := u.UsedByTotal - 1; more > 0 {
		f = fault.New(fault.Conflict, "this %s is still used by %s %q and %d more; remove or replace it there first", noun, nounOf(first.Kind), first.Name, more)
	}
	return f.WithCode("in_use").WithUses(u)
}

// nounOf is what operators call a kind: "address group", "NAT rule".
func nounOf(kind string) string {
	noun := strings.ReplaceAll(kind, "-", " ")
	for _, short := range []string{"NAT", "TCP"} {
		if rest, is := strings.CutPrefix(noun, strings.ToLower(short)+" "); is {
			return short + " " + rest
		}
	}
	return noun
}

// MustBe refuses a reference to what is not there.
func MustBe(ctx context.Context, tx db.DB, p *fault.Problems, field, table, noun, id string) error {
	if !db.ValidID(id) {
		p.Add(field, "is not the id of an existing %s", noun)
		return nil
	}
	err := Exists(table, noun)(ctx, tx, id)
	if fault.Is(err, fault.NotFound) {
		p.Add(field, "is not the id of an existing %s", noun)
		return nil
	}
	return err
}
