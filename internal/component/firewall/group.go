package firewall

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Group is a named set, of addresses or of services.
type Group struct {
	resource.Meta
	Name        string   `json:"name" db:"name"`
	Description string   `json:"description" db:"description"`
	Builtin     bool     `json:"builtin" db:"builtin" readOnly:"true" doc:"Built in: only its description can be changed"`
	MemberCount int64    `json:"member_count" db:"member_count" readOnly:"true" doc:"Number of members"`
	Members     []string `json:"members" db:"members" readOnly:"true" doc:"Ids of its members; null when there are more than 1000: use the member list"`
}

// GroupInput is what create and update take.
type GroupInput struct {
	Name        string    `json:"name" db:"name" minLength:"1" maxLength:"100" example:"branch offices" doc:"Unique name, shown in rules"`
	Description string    `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
	Members     *[]string `json:"members,omitempty" db:"-" maxItems:"20000" doc:"Ids of all its members; unchanged if omitted in an update"`
}

// grouping is one of the two kinds of groups; they differ in what is in them.
type grouping struct {
	noun, object    string // "address-group", "address-object"
	table           string // of the groups
	members, things string // tables of what is in them
	value           string // what tells one thing from another, as SQL on its columns
	uses            string
}

var addressGroups = grouping{
	noun: "address-group", object: "address-object", table: "firewall_address_groups", members: "firewall_address_members", things: "firewall_address_objects",
	value: "o.value", uses: addressGroupUses,
}

var serviceGroups = grouping{
	noun: "service-group", object: "service", table: "firewall_service_groups", members: "firewall_service_members", things: "firewall_services",
	value: "o.protocol || coalesce(' ' || o.port, '') || coalesce('-' || o.port_end, '') || coalesce(' type ' || o.icmp_type, '')", uses: serviceGroupUses,
}

func (g grouping) path() string { return "/firewall/" + g.noun + "s" }

func (g grouping) computed() map[string]string {
	from := " from " + g.members + " m where m.group_id = " + g.table + ".id)"
	return map[string]string{
		"member_count": "(select count(m.id)" + from,
		"members":      "(select case when count(m.id) <= 1000 then coalesce(array_agg(m.object_id::text order by m.object_id), '{}') end" + from,
	}
}

func (g grouping) groups() resource.Resource[Group, GroupInput] {
	return resource.Resource[Group, GroupInput]{
		Component: "firewall", Noun: g.noun, Path: g.path(), Table: g.table, Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "created_at", "updated_at", "member_count"}, Filter: []string{"builtin"},
		Unique:   map[string]string{g.table + "_name": "name"},
		Computed: g.computed(),
		Name:     func(o Group) string { return o.Name },
		Validate: func(_ context.Context, _ db.DB, old *Group, in *GroupInput) error { return g.validate(old, in) },
		Derive: func(_ context.Context, _ string, old *Group, _ *GroupInput) (map[string]any, error) {
			return map[string]any{"builtin": old != nil && old.Builtin}, nil
		},
		After: g.after,
	}
}

func (g grouping) validate(old *Group, in *GroupInput) error {
	var p fault.Problems
	line(&p, in.Name)
	note(&p, "description", in.Description)
	if in.Members != nil {
		for i, id := range *in.Members {
			if !db.ValidID(id) {
				p.AddError(fmt.Sprintf("members[%d]", i), g.notOne())
			}
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	if old != nil && old.Builtin && old.Name != in.Name {
		return builtin(fault.Said("a built-in group cannot be renamed"))
	}
	return nil
}

// notOne says that something is no member.
func (g grouping) notOne() error {
	if g.object == "service" {
		return fault.Say("is not the id of a service")
	}
	return fault.Say("is not the id of an address object")
}

func (g grouping) after(ctx context.Context, tx change.Tx, old, now *Group, in *GroupInput) error {
	if now == nil {
		if old.Builtin {
			return builtin(fault.Said("a built-in group cannot be deleted"))
		}
		return refuseUsed(ctx, tx, g.uses, old.ID, strings.ReplaceAll(g.noun, "-", " "))
	}
	if in.Members == nil {
		return nil
	}
	if err := g.set(ctx, tx, now, *in.Members); err != nil {
		return err
	}
	c := g.computed()
	err := tx.QueryRow(ctx, "select "+c["member_count"]+", "+c["members"]+" from "+g.table+" where id = $1", now.ID).Scan(&now.MemberCount, &now.Members)
	if err != nil {
		return fmt.Errorf("read the members of group %s: %w", now.ID, err)
	}
	return nil
}

// set makes these the members, and touches only those that come or go.
func (g grouping) set(ctx context.Context, tx pgx.Tx, of *Group, ids []string) error {
	var unknown int
	err := tx.QueryRow(ctx, `select count(i.id) from unnest($1::uuid[]) as i (id) left join `+g.things+` o on o.id = i.id where o.id is null`, ids).Scan(&unknown)
	if err != nil {
		return fmt.Errorf("look for members of group %s: %w", of.ID, err)
	}
	if unknown > 0 {
		return fault.At("members", "has %d ids that are not those of %ss", unknown, strings.ReplaceAll(g.object, "-", " "))
	}
	fresh := make([]string, len(ids))
	for i := range fresh {
		fresh[i] = db.NewID()
	}
	gone, err := tx.Exec(ctx, `delete from `+g.members+` where group_id = $1 and object_id <> all($2::uuid[])`, of.ID, ids)
	if err != nil {
		return fmt.Errorf("take members out of group %s: %w", of.ID, err)
	}
	come, err := tx.Exec(ctx, `insert into `+g.members+` (id, revision, created_at, updated_at, group_id, object_id)
		select i.id, 1, now(), now(), $1, i.object from unnest($2::uuid[], $3::uuid[]) as i (id, object) on conflict (group_id, object_id) do nothing`, of.ID, fresh, ids)
	if err != nil {
		return fmt.Errorf("put members into group %s: %w", of.ID, err)
	}
	if of.Builtin && gone.RowsAffected()+come.RowsAffected() > 0 {
		return builtin(fault.Said("a built-in group cannot be given different members"))
	}
	return nil
}
