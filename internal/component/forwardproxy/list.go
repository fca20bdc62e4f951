package forwardproxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/namelist"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// List is a list of host names for access rules. The names have operations of their own: there may
// be a million.
type List struct {
	resource.Meta
	Name        string `json:"name" db:"name"`
	Description string `json:"description" db:"description"`
	Size        int    `json:"size" db:"size" doc:"How many names it has"`

	Parts []string `json:"-" db:"parts"` // the hashes of its parts
}

// ListInput is what create and update take.
type ListInput struct {
	Name        string `json:"name" db:"name" minLength:"1" maxLength:"63" pattern:"^[a-z0-9][a-z0-9_-]*$" doc:"Name of the list, as access rules of type list refer to it" example:"advertising"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) lists() resource.Resource[List, ListInput] {
	return resource.Resource[List, ListInput]{
		Component: squid.Name, Noun: "list", Path: listsPath, Table: "forwardproxy_lists", Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "size", "created_at", "updated_at"},
		Unique:   map[string]string{"forwardproxy_lists_name": "name"},
		Name:     func(l List) string { return l.Name },
		Validate: validateList,
		After: func(ctx context.Context, tx change.Tx, old, now *List, _ *ListInput) error {
			if now == nil {
				return errors.Join(unused(ctx, tx, old.Name), keep(ctx, tx, old.Parts))
			}
			if old != nil && slices.Equal(old.Parts, now.Parts) {
				return nil
			}
			return broughtBack(ctx, tx, old, now)
		},
	}
}

// broughtBack judges a list whose names a revert brings back, by their hashes.
func broughtBack(ctx context.Context, tx db.DB, old, now *List) error {
	if old != nil {
		if err := keep(ctx, tx, old.Parts); err != nil {
			return err
		}
	}
	if err := namesKept(ctx, tx, now.ID); err != nil {
		return err
	}
	return mayHave(ctx, tx, now.ID, now.Size, now.Parts)
}

// mostLists bounds the line of an access rule that names all of them.
const mostLists = 64

func validateList(ctx context.Context, tx db.DB, old *List, in *ListInput) error {
	var p fault.Problems
	if !namelist.IsName(in.Name) {
		p.Add("name", "must be 1 to 63 lower-case letters, digits, dashes and underscores, beginning with a letter or a digit")
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	if err := p.Err(); err != nil {
		return err
	}
	if old != nil {
		if old.Name == in.Name {
			return nil
		}
		return unused(ctx, tx, old.Name)
	}
	var n int
	if err := tx.QueryRow(ctx, `select count(*) from forwardproxy_lists`).Scan(&n); err != nil {
		return fmt.Errorf("count the lists: %w", err)
	}
	if n >= mostLists {
		return fault.New(fault.Conflict, "there are %d lists already; delete one first", n)
	}
	return nil
}

// unused refuses to take a list from the rules that name it.
func unused(ctx context.Context, tx db.DB, name string) error {
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "list %q is used by %d access rules; change those first", name, u.UsedByTotal)
	}, `select 'access-rule', id::text, coalesce(nullif(name, ''), value), '/forward-proxy?tab=acls&do=edit&id=' || id
		from forwardproxy_acls where type = 'list' and value = $1`, name)
}

// mustBeList refuses a rule with a list that is not there.
func mustBeList(ctx context.Context, tx db.DB, p *fault.Problems, r squid.Rule) error {
	if r.Type != "list" {
		return nil
	}
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from forwardproxy_lists where name = $1)`, r.Value).Scan(&there); err != nil {
		return fmt.Errorf("look for a list: %w", err)
	}
	if !there {
		p.Add("value", "is not the name of an existing list")
	}
	return nil
}

// namesTime is for a million names: to read, sort and store them takes seconds.
const namesTime = 2 * time.Minute

func (h *handlers) listRoutes(r api.Router) {
	h.lists().Register(r, h.DB, h.Run)
	api.Handle(r, api.Op{
		ID: "get-forwardproxy-list-names", Method: http.MethodGet, Path: listsPath + "/{id}/names", Access: api.Viewer, Timeout: namesTime, AtOnce: 2,
		Summary: "Get the names of a list", Description: "All names of the list in one text, a line each; up to 1,000,000, and 32 MiB.",
	}, h.names)
	api.Handle(r, api.Op{
		ID: "replace-forwardproxy-list-names", Method: http.MethodPut, Path: listsPath + "/{id}/names", Config: true, Timeout: namesTime, MaxBody: 40 << 20, AtOnce: 1,
		Summary: "Replace the names of a list", Description: "Takes a text with a name per line. The proxy is not reconfigured: the names are in force within a second. A list may have 1,000,000 names and 32 MiB, all lists together 2,000,000 and 64 MiB. The history keeps earlier names for 30 days, and 256 MiB of them at most; a revert to older ones is refused.",
	}, h.replaceNames)
	api.Handle(r, api.Op{
		ID: "edit-forwardproxy-list-names", Method: http.MethodPost, Path: listsPath + "/{id}/names", Config: true, AtOnce: 1, Timeout: namesTime,
		Summary: "Add names to a list and remove others", Description: "Names that are in the list already, or that are not in it, change nothing. The proxy is not reconfigured.",
	}, h.editNames)
}

// namesKept refuses to go back to names that are no longer kept.
func namesKept(ctx context.Context, tx db.DB, id string) error {
	var lost int
	err := tx.QueryRow(ctx, `select count(*) from forwardproxy_lists l, unnest(l.parts) w (hash)
		where l.id = $1 and not exists (select from forwardproxy_list_parts p where p.hash = w.hash)`, id).Scan(&lost)
	if err != nil {
		return fmt.Errorf("look for the names of a list: %w", err)
	}
	if lost > 0 {
		return fault.New(fault.Conflict, "the earlier names of this list are no longer kept; set them again by hand").WithCode("not_revertible")
	}
	return nil
}
