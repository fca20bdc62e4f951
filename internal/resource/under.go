package resource

import (
	"context"
	"net/http"
	"path"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// Under offers a resource at the address of what it belongs to as well: the servers of a
// backend at /backends/{id}/servers.
type Under[Row row, In any] struct {
	Path   string // "/backends/{id}/servers"
	Column string // "backend_id"; must be one of the resource's Filter
	Owner  func(Row) string
	// Give sets the owner of what is created or replaced there.
	Give func(in *In, owner string)
	// Exists answers a fault unless there is such an owner.
	Exists func(ctx context.Context, q db.DB, owner string) error
	// Items also lets one of them be read, replaced and deleted there, by {item}.
	Items bool
}

// RegisterUnder adds the operations of u to r, beside those that Register adds.
func (d Resource[Row, In]) RegisterUnder(r api.Router, q db.DB, run *change.Runner, u Under[Row, In]) {
	s := &under[Row, In]{store: d.store(q, run), at: u}
	id := func(verb, noun string) string { return verb + "-" + d.scope() + noun + "-of" }
	api.Handle(r, api.Op{
		ID: id("list", plural(d.Noun)), Method: http.MethodGet, Path: u.Path, Access: d.Access,
		Summary: "List the " + spaced(plural(d.Noun)) + " of this resource", Description: d.listUnderHelp(),
	}, s.list)
	api.Handle(r, api.Op{
		ID: id("create", d.Noun), Method: http.MethodPost, Path: u.Path, Config: true, Lasting: d.Lasting, Status: http.StatusCreated,
		Summary: "Create " + one(d.Noun) + " here", Description: createHelp,
	}, s.create)
	if !u.Items {
		return
	}
	api.Handle(r, api.Op{
		ID: id("get", d.Noun), Method: http.MethodGet, Path: u.Path + "/{item}", Access: d.Access,
		Summary: "Get one " + spaced(d.Noun) + " of this resource", Description: getHelp,
	}, s.get)
	api.Handle(r, api.Op{
		ID: id("update", d.Noun), Method: http.MethodPut, Path: u.Path + "/{item}", Config: true, Lasting: d.Lasting,
		Summary: "Replace " + one(d.Noun) + " of this resource", Description: replaceHelp,
	}, s.update)
	api.Handle(r, api.Op{
		ID: id("delete", d.Noun), Method: http.MethodDelete, Path: u.Path + "/{item}", Config: true,
		Summary: "Delete " + one(d.Noun) + " of this resource", Description: deleteHelp,
	}, s.delete)
}

type under[Row row, In any] struct {
	store *store[Row, In]
	at    Under[Row, In]
}

// Owned names a row in the path, after the one that it belongs to.
type Owned struct {
	One
	Item string `path:"item" doc:"Id of the nested resource"`
}

func (s *under[Row, In]) list(ctx context.Context, in *struct {
	One
	ListQuery
},
) (*api.Page[Row], error) {
	if err := s.owner(ctx, in.ID); err != nil {
		return nil, err
	}
	if in.Filter != "" {
		return nil, fault.At("filter", "is not supported for a nested list")
	}
	in.Filter = s.at.Column + ":" + in.ID
	return s.store.list(ctx, &in.ListQuery)
}

func (s *under[Row, In]) owner(ctx context.Context, id string) error {
	if !db.ValidID(id) {
		return fault.New(fault.NotFound, "there is no such resource")
	}
	return s.at.Exists(ctx, s.store.q, id)
}

func (s *under[Row, In]) create(ctx context.Context, in *struct {
	One
	Body In
},
) (*api.Created[Row], error) {
	if err := s.owner(ctx, in.ID); err != nil {
		return nil, err
	}
	s.at.Give(&in.Body, in.ID)
	made, err := s.store.create(ctx, &creation[In]{Body: in.Body})
	if err == nil {
		made.Location = api.Prefix + strings.Replace(s.at.Path, "{id}", in.ID, 1) + "/" + path.Base(made.Location)
	}
	return made, err
}

func (s *under[Row, In]) get(ctx context.Context, in *Owned) (*api.Row[Row], error) {
	if err := s.owns(ctx, in); err != nil {
		return nil, err
	}
	return s.store.get(ctx, &One{in.Item})
}

func (s *under[Row, In]) update(ctx context.Context, in *struct {
	Owned
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version this is based on; 412 when there is a newer one"`
	Body    In
},
) (*api.Row[Row], error) {
	if err := s.owns(ctx, &in.Owned); err != nil {
		return nil, err
	}
	s.at.Give(&in.Body, in.ID)
	return s.store.update(ctx, &replacement[In]{One: One{in.Item}, IfMatch: in.IfMatch, Body: in.Body})
}

func (s *under[Row, In]) delete(ctx context.Context, in *struct {
	Owned
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version to delete; 412 when there is a newer one"`
},
) (*api.Body[*api.None], error) {
	if err := s.owns(ctx, &in.Owned); err != nil {
		return nil, err
	}
	return s.store.delete(ctx, &removal{One: One{in.Item}, IfMatch: in.IfMatch})
}

// owns answers that there is none when it belongs to another.
func (s *under[Row, In]) owns(ctx context.Context, in *Owned) error {
	row, err := s.store.read(ctx, s.store.q, s.store.sql.get, in.Item)
	if err != nil {
		return err
	}
	if s.at.Owner(row) != in.ID {
		return fault.New(fault.NotFound, "there is no such %s here", spaced(s.store.Noun))
	}
	return nil
}
