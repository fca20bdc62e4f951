package user

import (
	"context"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/secret"
)

func (u *Users) ticketRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "allow-operation", Method: http.MethodPost, Path: "/auth/tickets", Access: api.Self,
		Summary: "Get a ticket for an operation that needs your password once more",
		Description: "For what would outlast a stolen session: API tokens, accounts, off-site targets, the settings of the logs, and reverts to such a state. " +
			"The ticket is good for one request of this session with that method and path, within a minute; send it in the header Gateway-Ticket.",
	}, u.allowOperation)
}

// Ticket lets a session do one thing once.
type Ticket struct {
	Ticket    string    `json:"ticket" doc:"Send it in the header Gateway-Ticket"`
	ExpiresAt time.Time `json:"expires_at" doc:"When it stops working, used or not"`
}

func (u *Users) allowOperation(ctx context.Context, in *struct {
	Body struct {
		Password  secret.Text `json:"password" minLength:"1" maxLength:"1024" doc:"Your password, once more"`
		Operation string      `json:"operation" maxLength:"300" pattern:"^(POST|PUT|PATCH|DELETE) /[!-~]*$" patternDescription:"a method and a path" example:"POST /auth/tokens" doc:"Method and path below /api/v1 of the request that the ticket is for; POST /batch for one with several operations"`
	}
},
) (*api.Body[Ticket], error) {
	// Asked first: what the limit of guesses refuses must not fill the audit log with subjects of the guesser's choice.
	asked := u.AskAgain(ctx, in.Body.Password)
	if f, ok := fault.Of(asked); asked != nil && !(ok && f.Code == "wrong_password") {
		return nil, asked
	}
	c := change.Change{Component: "user", Action: "auth.ticket.issue", Subject: in.Body.Operation}
	if err := u.Run.Act(ctx, c, func(context.Context) error { return asked }); err != nil {
		return nil, err
	}
	now := u.Now()
	ticket := u.tickets.Issue(now, identity.From(ctx).SessionID, in.Body.Operation)
	return api.OK(Ticket{Ticket: ticket.Reveal(), ExpiresAt: now.Add(auth.TicketTime)}), nil
}

// Proves is the Proof of package api: a session proves with a ticket that its owner is there.
func (u *Users) Proves(id identity.Identity, ticket, operation string) bool {
	return trusted(id) || ticket != "" && id.SessionID != "" && u.tickets.Redeem(u.Now(), ticket, id.SessionID, operation)
}

// AskAgain has whoever is signed in prove with the password that it is still them, before what
// a stolen session must not do.
func (u *Users) AskAgain(ctx context.Context, password secret.Text) error {
	me := identity.From(ctx)
	if trusted(me) {
		return nil
	}
	if password == "" {
		return fault.At("password", "is required")
	}
	return u.verifyOwn(ctx, me, password.Reveal())
}

// trusted are those that are not asked: an API token stands for a program, which has no password, and
// whoever has the node in their hands needs none.
func trusted(id identity.Identity) bool { return id.Local || id.TokenID != "" }
