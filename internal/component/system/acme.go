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
	Email        string `json:"email" maxLength:"254" required:"false" doc:"Where the authority sends warnings"`
	DirectoryURL string `json:"directory_url" maxLength:"500" required:"false" doc:"Of the authority; empty for the usual public one"`
	TermsAgreed  bool   `json:"terms_agreed" doc:"The authority's terms of service are agreed to; it issues nothing otherwise"`
}

func (p *part) acmeRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "get-acme", Method: http.MethodGet, Path: "/system/acme", Access: api.Viewer, WithoutDatabase: true,
		Summary: "Whom certificates are ordered from",
	}, p.acme)
	api.Handle(r, api.Op{
		ID: "set-acme", Method: http.MethodPut, Path: "/system/acme", WithoutDatabase: true,
		Summary:     "Set whom certificates are ordered from",
		Description: "With another authority every certificate of the source acme is ordered anew; the old ones are served until then.",
	}, p.setACME)
}

func (p *part) acme(context.Context, *struct{}) (*api.Body[ACME], error) {
	state, err := p.Setup.Load()
	if err != nil {
		return nil, err
	}
	return api.OK(ACME(state.ACME)), nil
}

func (p *part) setACME(ctx context.Context, in *struct{ Body ACME }) (*api.Body[ACME], error) {
	want := setupstate.ACME(in.Body)
	var problems fault.Problems
	want.Check(&problems, "")
	if err := problems.Err(); err != nil {
		return nil, err
	}
	field := func(s *setupstate.State) *setupstate.ACME { return &s.ACME }
	subject := want.DirectoryURL
	if subject == "" {
		subject = "the usual authority"
	}
	if err := set(ctx, p, "system.acme", subject, field, want, nothingElse); err != nil {
		return nil, err
	}
	return api.OK(in.Body), nil
}
