package api

import (
	"context"
	"net/http"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
)

// ticketHeader carries what POST /auth/tickets answered for the password.
const ticketHeader = "Gateway-Ticket"

const lastingHelp = " A session needs a ticket for it in the header Gateway-Ticket, which POST /auth/tickets gives for the password; " +
	"without one the response is 401 `password_required`. A dry run, an API token and gateway-ctl need none."

type proofKey struct{}

// withProof notes whether whoever calls has just proved that it is them. It is found out once for a
// request: what a batch carries is part of what was asked for, and a ticket is good once.
func (s *Server) withProof(ctx context.Context, id identity.Identity, r *http.Request) context.Context {
	if ctx.Value(proofKey{}) != nil {
		return ctx
	}
	proven := s.Proof != nil && s.Proof(id, r.Header.Get(ticketHeader), r.Method+" "+strings.TrimPrefix(r.URL.Path, Prefix))
	return context.WithValue(ctx, proofKey{}, proven || intent.Of(ctx).DryRun) // what is only tried out gives nobody anything
}

// Proven refuses whoever has not proved with the password that it is them, within a request. What happens by
// itself was allowed when it was asked for.
func Proven(ctx context.Context) error {
	if proven, asked := ctx.Value(proofKey{}).(bool); proven || !asked {
		return nil
	}
	return fault.New(fault.Unauthenticated, "this needs your password once more; POST /auth/tickets gives a ticket for it").WithCode("password_required")
}
