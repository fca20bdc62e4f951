package system

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/setupstate"
)

// ACME is whom certificates are ordered from, and as whom.
type ACME struct {
	Email        string `json:"email" maxLength:"254" required:"false" doc:"Where the certificate authority sends warnings"`
	DirectoryURL string `json:"directory_url" maxLength:"500" required:"false" doc:"ACME directory URL of the certificate authority; empty for Let's Encrypt"`
	TermsAgreed  bool   `json:"terms_agreed" doc:"Agree to the certificate authority's terms of service; required before anything is issued"`
}

func (h *handlers) acmeRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "get-acme", Method: http.MethodGet, Path: "/system/acme", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Get the certificate authority (ACME)",
		Description: "Account and directory with which certificates of the source acme are ordered.",
	}, h.acme)
	api.Handle(r, api.Op{
		ID: "set-acme", Method: http.MethodPut, Path: "/system/acme", WithoutDatabase: true,
		Summary:     "Set the certificate authority (ACME)",
		Description: "After a change of the certificate authority, every certificate of the source acme is ordered again; the old ones are served until then.",
	}, h.setACME)
}

func (h *handlers) acme(context.Context, *struct{}) (*api.Body[ACME], error) {
	state, err := h.Setup.Load()
	if err != nil {
		return nil, err
	}
	return api.OK(ACME(state.ACME)), nil
}

func (h *handlers) setACME(ctx context.Context, in *struct{ Body ACME }) (*api.Body[ACME], error) {
	want := setupstate.ACME(in.Body)
	var problems fault.Problems
	want.Check(&problems, "")
	if err := problems.Err(); err != nil {
		return nil, err
	}
	field := func(s *setupstate.State) *setupstate.ACME { return &s.ACME }
	subject := want.DirectoryURL
	if subject == "" {
		subject = "Let's Encrypt"
	}
	if err := set(ctx, h, "system.acme", subject, field, want, nothingElse); err != nil {
		return nil, err
	}
	return api.OK(in.Body), nil
}
