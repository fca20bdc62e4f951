package firewall

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Member is one thing in one group.
type Member struct {
	resource.Meta
	GroupID  string `json:"group_id" db:"group_id"`
	ObjectID string `json:"object_id" db:"object_id"`
	Name     string `json:"name" db:"name" readOnly:"true" doc:"Name of the member"`
	Value    string `json:"value" db:"value" readOnly:"true" doc:"Address or ports of the member, as its object has them"`
}

// MemberInput is what create and update take.
type MemberInput struct {
	GroupID  string `json:"group_id,omitempty" db:"group_id" maxLength:"64" doc:"Id of the group; not required below it"`
	ObjectID string `json:"object_id" db:"object_id" maxLength:"64" doc:"Id of the member"`
}

func (g grouping) memberships() resource.Resource[Member, MemberInput] {
	of := func(column string) string {
		return "(select " + column + " from " + g.things + " o where o.id = " + g.members + ".object_id)"
	}
	return resource.Resource[Member, MemberInput]{
		Component: "firewall", Noun: strings.Replace(g.noun, "-group", "-member", 1), Path: strings.Replace(g.path(), "-groups", "-members", 1),
		Table: g.members, Access: api.Viewer,
		Search: []string{"name", "value"}, Sort: []string{"name", "value", "created_at", "updated_at"}, Filter: []string{"group_id", "object_id"},
		Unique:   map[string]string{g.members + "_once": "object_id"},
		Computed: map[string]string{"name": of("o.name"), "value": of(g.value)},
		Name:     func(m Member) string { return m.Name },
		Validate: func(ctx context.Context, tx db.DB, _ *Member, in *MemberInput) error {
			return g.validateMember(ctx, tx, in)
		},
		After: func(ctx context.Context, tx change.Tx, old, now *Member, _ *MemberInput) error {
			if old == nil {
				return g.changeable(ctx, tx, now.GroupID)
			}
			return g.changeable(ctx, tx, old.GroupID)
		},
	}
}

func (g grouping) membersOfGroup() resource.Under[Member, MemberInput] {
	return resource.Under[Member, MemberInput]{
		Path: g.path() + "/{id}/members", Column: "group_id", Items: true,
		Owner:  func(m Member) string { return m.GroupID },
		Give:   func(in *MemberInput, id string) { in.GroupID = id },
		Exists: resource.Exists(g.table, "group"),
	}
}

func (g grouping) validateMember(ctx context.Context, tx db.DB, in *MemberInput) error {
	var p fault.Problems
	if err := resource.MustBe(ctx, tx, &p, "group_id", g.table, "group", in.GroupID); err != nil {
		return err
	}
	if err := resource.MustBe(ctx, tx, &p, "object_id", g.things, "member", in.ObjectID); err != nil {
		return err
	}
	return p.Err()
}

// changeable refuses to touch the members of a builtin group.
func (g grouping) changeable(ctx context.Context, tx db.DB, id string) error {
	var fixed bool
	if err := tx.QueryRow(ctx, `select builtin from `+g.table+` where id = $1`, id).Scan(&fixed); err != nil {
		return fmt.Errorf("read group %s: %w", id, err)
	}
	if fixed {
		return builtin(fault.Said("a built-in group cannot be given different members"))
	}
	return nil
}
