package change

import (
	"context"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/intent"
)

func (h *handlers) historyRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-changes", Method: http.MethodGet, Path: "/changes", Access: api.Viewer,
		Summary:     "List changes of the configuration, newest first",
		Description: "Each entry says who changed what, why, and whether it is live. The details of one are at GET /changes/{id}.",
	}, h.list)
	api.Handle(r, api.Op{
		ID: "list-change-actors", Method: http.MethodGet, Path: "/changes/actors", Access: api.Viewer,
		Summary:     "List who made changes of the configuration, by name",
		Description: "Values for the parameter actor of GET /changes: e-mails of accounts, also of deleted ones, and local, setup, scheduler.",
	}, h.actors)
	api.Handle(r, api.Op{
		ID: "get-change", Method: http.MethodGet, Path: "/changes/{id}",
		Summary:     "Get one change: its rows before and after, and its file changes",
		Description: "For administrators: rows may contain more than their pages show.",
	}, h.get)
	api.Handle(r, api.Op{
		ID: "revert-change", Method: http.MethodPost, Path: "/changes/{id}/revert", Config: true,
		Summary: "Revert one change, as a new change",
		Description: "Later changes are kept. If they touched the same fields, the response is 409 " +
			"`revert_conflict`, with each field before and after the change and as it is now. A session that reverts to an " +
			"account, an off-site target or settings of the logs as they were needs a ticket for it in the header Gateway-Ticket, which " +
			"POST /auth/tickets gives for the password; without one the response is 401 `password_required`.",
	}, h.revert)
	api.Handle(r, api.Op{
		ID: "confirm-change", Method: http.MethodPost, Path: "/changes/{id}/confirm",
		Summary:     "Confirm a change that is waiting for confirmation",
		Description: "Keeps a change that was sent with Gateway-Confirm-Within; without confirmation it is reverted at its deadline.",
	}, h.confirm)
}

type listInput struct {
	Limit     int       `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Page size"`
	Offset    int       `query:"offset" default:"0" minimum:"0" maximum:"10000000" doc:"Number of changes to skip"`
	Component string    `query:"component" maxLength:"64" doc:"Only changes of this component, or applied to it"`
	Waiting   bool      `query:"waiting" doc:"Only changes waiting for confirmation"`
	Actor     string    `query:"actor" maxLength:"254" doc:"Only changes by this actor"`
	Table     string    `query:"table" maxLength:"64" doc:"Only changes that wrote rows of this table"`
	Q         string    `query:"q" maxLength:"200" doc:"Part of subject, reason, action, or the name of a changed object"`
	Since     time.Time `query:"since" doc:"Not before this time"`
	Until     time.Time `query:"until" doc:"Before this time"`
}

func (h *handlers) list(ctx context.Context, in *listInput) (*api.Page[change.Record], error) {
	f := change.Filter{
		Component: in.Component, Waiting: in.Waiting, Actor: in.Actor, Table: in.Table, Text: in.Q, Since: in.Since, Until: in.Until,
	}
	page, total, err := change.List(ctx, h.Pool, f, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	return &api.Page[change.Record]{Total: total, Body: api.Envelope[[]change.Record]{Data: page}}, nil
}

func (h *handlers) actors(ctx context.Context, _ *struct{}) (*api.Body[[]string], error) {
	names, err := change.Actors(ctx, h.Pool)
	if err != nil {
		return nil, err
	}
	return api.OK(names), nil
}

// Detail is one change with all that is kept of it.
type Detail struct {
	change.Record
	Images []intent.Row   `json:"images" doc:"Every row it wrote, before and after"`
	Rounds []change.Round `json:"rounds" doc:"How it was applied to the daemons it affects"`
}

type one struct {
	ID string `path:"id" doc:"Id of the change"`
}

func (h *handlers) get(ctx context.Context, in *one) (*api.Body[Detail], error) {
	d := Detail{}
	var err error
	if d.Record, err = change.Get(ctx, h.Pool, in.ID); err != nil {
		return nil, err
	}
	if d.Images, err = change.Rows(ctx, h.Pool, in.ID); err != nil {
		return nil, err
	}
	if d.Rounds, err = change.Rounds(ctx, h.Pool, in.ID); err != nil {
		return nil, err
	}
	return api.OK(d), nil
}

func (h *handlers) revert(ctx context.Context, in *one) (*api.Body[change.Record], error) {
	id, err := h.Run.Revert(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	made, err := change.Get(ctx, h.Pool, id)
	if err != nil {
		return nil, err
	}
	return api.OK(made), nil
}

func (h *handlers) confirm(ctx context.Context, in *one) (*api.Body[change.Record], error) {
	c := change.Change{Component: "change", Action: "change.confirm", Subject: in.ID}
	err := h.Run.Run(ctx, c, func(tx change.Tx) error {
		if err := change.Confirm(ctx, tx, in.ID); err != nil {
			return err
		}
		return h.mayKeep(ctx, tx, in.ID)
	})
	if err != nil {
		return nil, err
	}
	kept, err := change.Get(ctx, h.Pool, in.ID)
	if err != nil {
		return nil, err
	}
	return api.OK(kept), nil
}

// mayKeep asks the components that the change concerns whether it may be kept.
func (h *handlers) mayKeep(ctx context.Context, q db.DB, id string) error {
	names, err := change.AffectedBy(ctx, q, id)
	if err != nil {
		return err
	}
	for _, name := range names {
		if c, ok := h.Set.Find(name); ok {
			if err := c.Keep(ctx, q, h.Set.Unseal); err != nil {
				return err
			}
		}
	}
	return nil
}
