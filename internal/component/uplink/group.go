package uplink

import (
	"context"
	"fmt"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Group is a choice among uplinks of one family.
type Group struct {
	resource.Meta
	Name        string `json:"name" db:"name"`
	Family      string `json:"family" db:"family"`
	IsDefault   bool   `json:"is_default" db:"is_default"`
	Description string `json:"description" db:"description"`
	Number      int    `json:"number" db:"number" doc:"Number of the group in the system: its routing table is 64500 plus this"`
}

// GroupInput is what create and update take.
type GroupInput struct {
	Name        string `json:"name" db:"name" minLength:"1" maxLength:"64" doc:"Name of the group" example:"internet"`
	Family      string `json:"family,omitempty" db:"family" enum:",inet,inet6" doc:"inet for IPv4, inet6 for IPv6; default inet"`
	IsDefault   bool   `json:"is_default,omitempty" db:"is_default" doc:"Everything of the family that has no other route leaves by this group; one group for each family"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`

	number int // of a new one
}

func (u *uplinks) groups() resource.Resource[Group, GroupInput] {
	return resource.Resource[Group, GroupInput]{
		Component: multiwan.Name, Noun: "group", Path: groupsPath, Table: "uplink_groups", Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "family", "is_default", "created_at", "updated_at"}, Filter: []string{"family", "is_default"},
		Unique:   map[string]string{"uplink_groups_name": "name", "uplink_groups_default": "is_default"},
		Name:     func(g Group) string { return g.Name },
		Validate: validateGroup,
		Derive: func(_ context.Context, _ string, old *Group, in *GroupInput) (map[string]any, error) {
			if old != nil {
				return nil, nil
			}
			return map[string]any{"number": in.number}, nil
		},
		After: refuseGroupInUse,
	}
}

func validateGroup(ctx context.Context, tx db.DB, old *Group, in *GroupInput) error {
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	if in.Family == "" {
		in.Family = multiwan.IPv4
	}
	if err := p.Err(); err != nil {
		return err
	}
	if old == nil {
		return in.choose(ctx, tx)
	}
	if old.Family == in.Family {
		return nil
	}
	n, err := count(ctx, tx, `select count(*) from uplink_members where group_id = $1`, old.ID)
	if err == nil && n > 0 {
		err = fault.At("family", "cannot change while the group has members")
	}
	return err
}

// choose takes a number as an uplink does: packets on their way may still have the mark.
func (in *GroupInput) choose(ctx context.Context, tx db.DB) (err error) {
	if in.number, err = freeNumber(ctx, tx, "uplink_groups"); err == nil && in.number == 0 {
		err = fault.New(fault.Conflict, "there are %d uplink groups already, and no room for more", multiwan.MaxNumber)
	}
	return err
}

// refuseGroupInUse keeps a group that has members, or that rules of the packet filter name.
func refuseGroupInUse(ctx context.Context, tx change.Tx, old, now *Group, _ *GroupInput) error {
	if now != nil || old == nil {
		return nil
	}
	err := resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "the group %s has %d members; remove those first", old.Name, u.UsedByTotal)
	}, `select 'uplink', u.id::text, u.name, '`+membersPage+`' || m.group_id
		from uplink_members m join uplink_uplinks u on u.id = m.uplink_id where m.group_id = $1`, old.ID)
	if err != nil {
		return err
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "%d firewall rules use the group %s; choose another one there first", u.UsedByTotal, old.Name)
	}, `select 'rule', id::text, name, '/firewall?do=edit&id=' || id from firewall_rules where uplink_group_id = $1`, old.ID)
}

// Member is an uplink in a group.
type Member struct {
	resource.Meta
	GroupID  string `json:"group_id" db:"group_id"`
	UplinkID string `json:"uplink_id" db:"uplink_id"`
	Tier     int    `json:"tier" db:"tier"`
	Weight   int    `json:"weight" db:"weight"`
}

// MemberInput is what create and update take.
type MemberInput struct {
	GroupID  string `json:"group_id" db:"group_id" minLength:"1" maxLength:"64" doc:"Id of the group"`
	UplinkID string `json:"uplink_id" db:"uplink_id" minLength:"1" maxLength:"64" doc:"Id of the uplink"`
	Tier     *int   `json:"tier,omitempty" db:"tier" minimum:"1" maximum:"100" doc:"Of the uplinks that work, those of the lowest tier are used. Default: 1"`
	Weight   *int   `json:"weight,omitempty" db:"weight" minimum:"1" maximum:"256" doc:"Share of new connections among those of the same tier. Default: 1"`
}

func (u *uplinks) members() resource.Resource[Member, MemberInput] {
	return resource.Resource[Member, MemberInput]{
		Component: multiwan.Name, Noun: "member", Path: membersPath, Table: "uplink_members", Access: api.Viewer,
		Sort: []string{"tier", "weight", "created_at", "updated_at"}, Filter: []string{"group_id", "uplink_id"},
		Unique:   map[string]string{"uplink_members_once": "uplink_id"},
		Name:     func(m Member) string { return fmt.Sprintf("%s in %s", m.UplinkID, m.GroupID) },
		Validate: validateMember,
	}
}

func validateMember(ctx context.Context, tx db.DB, _ *Member, in *MemberInput) error {
	for _, field := range []**int{&in.Tier, &in.Weight} {
		if *field == nil {
			one := 1
			*field = &one
		}
	}
	group, err := family(ctx, tx, "uplink_groups", in.GroupID)
	if err != nil {
		return err
	}
	of, err := family(ctx, tx, "uplink_uplinks", in.UplinkID)
	if err != nil {
		return err
	}
	var p fault.Problems
	if group == "" {
		p.Add("group_id", "must be an existing group of uplinks")
	}
	if of == "" {
		p.Add("uplink_id", "must be an existing uplink")
	}
	if group != "" && of != "" && group != of {
		p.Add("uplink_id", "must be of the family of the group")
	}
	return p.Err()
}

// family is that of a row, and empty where there is none.
func family(ctx context.Context, tx db.DB, table, id string) (f string, err error) {
	err = tx.QueryRow(ctx, `select coalesce(max(family), '') from `+table+` where id::text = $1`, id).Scan(&f)
	if err != nil {
		return "", fmt.Errorf("look for %s in %s: %w", id, table, err)
	}
	return f, nil
}
