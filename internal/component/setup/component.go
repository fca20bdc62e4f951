// Package setup takes a fresh node from its one-time code to a first
// administrator. Joining a cluster comes with the cluster component.
package setup

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/mail"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/value"
)

// Options are what setup needs.
type Options struct {
	Pool     db.Pool
	Audit    *audit.Log
	Store    *setupstate.Store
	Hasher   *auth.Hasher
	Limits   auth.Limits
	CodeFile string // where the one-time code is
	Now      func() time.Time
	Log      *slog.Logger
}

type handlers struct {
	Options
	limiter *auth.Limiter
}

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{Options: o, limiter: auth.NewLimiter(o.Limits)}
	return component.Component{Name: "setup", Routes: h.routes}
}

func (h *handlers) routes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "setup-status", Method: http.MethodGet, Path: "/setup/status", Access: api.Public, BeforeSetup: true, WithoutDatabase: true,
		Summary:     "Whether this node is set up",
		Description: "Public, so that the UI knows whether to show the setup or the sign-in.",
	}, h.status)
	api.Handle(r, api.Op{
		ID: "complete-setup", Method: http.MethodPost, Path: "/setup/complete", Access: api.Public, BeforeSetup: true, WithoutDatabase: true,
		Summary:     "Set up a standalone node",
		Description: "Needs the one-time code that gateway-ctl setup-code prints on the node. Works once.",
	}, h.complete)
	api.Handle(r, api.Op{
		ID: "complete-node-setup", Method: http.MethodPost, Path: "/setup/complete-node", Access: api.Public, BeforeSetup: true, WithoutDatabase: true,
		Summary:     "Set up a node without an administrator",
		Description: "For a node that gets its accounts from a cluster. Needs the one-time code, works once.",
	}, h.completeNode)
}

// Status is what a stranger may know.
type Status struct {
	Complete bool `json:"complete" doc:"Whether initial setup is done; until then only setup operations work"`
}

func (h *handlers) status(context.Context, *struct{}) (*api.Body[Status], error) {
	state, err := h.Store.Load()
	if err != nil {
		return nil, err
	}
	return api.OK(Status{Complete: state.Complete}), nil
}

// ACME is how certificates for the node's name are ordered.
type ACME struct {
	Email        string `json:"email,omitempty" maxLength:"254" doc:"Where the certificate authority sends warnings"`
	DirectoryURL string `json:"directory_url,omitempty" maxLength:"500" doc:"ACME directory URL of the certificate authority; empty for Let's Encrypt"`
	TermsAgreed  bool   `json:"terms_agreed,omitempty" doc:"Agree to the certificate authority's terms of service"`
}

// Node is what every way of setting up a node needs.
type Node struct {
	Code secret.Text `json:"code" minLength:"1" maxLength:"64" doc:"The one-time setup code"`
	FQDN string      `json:"fqdn" minLength:"1" maxLength:"253" doc:"Fully qualified host name of this node"`
	ACME ACME        `json:"acme,omitempty" doc:"Certificate authority (ACME); can be set later"`
}

func (h *handlers) complete(ctx context.Context, in *struct {
	Body struct {
		Node
		Email    string      `json:"email" minLength:"3" maxLength:"254" doc:"Sign-in name of the first administrator"`
		Password secret.Text `json:"password" minLength:"12" maxLength:"72" doc:"Password of the first administrator, 12 to 72 bytes"`
	}
},
) (*api.Body[Status], error) {
	if err := h.open(ctx, in.Body.Code.Reveal()); err != nil {
		return nil, err
	}
	var problems fault.Problems
	in.Body.check(&problems)
	if a, err := mail.ParseAddress(in.Body.Email); err != nil || a.Address != in.Body.Email {
		problems.Add("email", "must be an e-mail address")
	}
	password := in.Body.Password.Reveal()
	for _, check := range []error{auth.CheckLength(password), auth.CheckStrength(password, in.Body.Email)} {
		if err := problems.Check("password", check); err != nil {
			return nil, err
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	hash, err := h.Hasher.Hash(ctx, auth.Trusted, password)
	if err != nil {
		return nil, err
	}
	return h.finish(ctx, in.Body.Node, &setupstate.Admin{Email: in.Body.Email, PasswordHash: secret.Text(hash)})
}

func (h *handlers) completeNode(ctx context.Context, in *struct {
	Body Node
},
) (*api.Body[Status], error) {
	if err := h.open(ctx, in.Body.Code.Reveal()); err != nil {
		return nil, err
	}
	var problems fault.Problems
	in.Body.check(&problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return h.finish(ctx, in.Body, nil)
}

// open lets in whoever has the code, as long as setup is open at all.
func (h *handlers) open(ctx context.Context, code string) error {
	attempt := auth.Attempt{IP: api.ClientOf(ctx).Addr}
	if ok, wait := h.limiter.Allow(h.Now(), attempt); !ok {
		return fault.New(fault.TooMany, "too many attempts; wait a moment").WithRetry(wait)
	}
	state, err := h.Store.Load()
	if err != nil {
		return err
	}
	if state.Complete {
		return done()
	}
	right, err := auth.MatchSetupCode(h.CodeFile, code)
	if err != nil {
		return err
	}
	if !right {
		return fault.New(fault.Unauthenticated, "the setup code is wrong; gateway-ctl setup-code prints it on the node").WithCode("wrong_setup_code")
	}
	h.limiter.Refund(h.Now(), attempt)
	return nil
}

func done() error {
	return fault.New(fault.Conflict, "this node is already set up").WithCode("setup_complete")
}

func (n Node) check(p *fault.Problems) {
	if _, err := value.FullName(n.FQDN); err != nil {
		p.Add("fqdn", "must be a fully qualified host name such as gw1.example.com")
	}
	setupstate.ACME(n.ACME).Check(p, "acme.")
}

// finish stores the outcome. Of parallel callers with the right code one wins.
func (h *handlers) finish(ctx context.Context, n Node, admin *setupstate.Admin) (*api.Body[Status], error) {
	_, err := h.Store.Update(func(s *setupstate.State) error {
		if s.Complete {
			return done()
		}
		s.Complete, s.CompletedAt = true, h.Now().UTC()
		fqdn, err := value.FullName(n.FQDN)
		if err != nil {
			return err // it was checked
		}
		s.FQDN, s.Admin = fqdn, admin
		s.ACME = setupstate.ACME(n.ACME)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := auth.RemoveSetupCode(h.CodeFile); err != nil {
		return nil, fmt.Errorf("end the setup code: %w", err)
	}
	// Setup works without a database, so its entry may have to be missing from the log.
	err = h.Audit.Record(ctx, h.Pool, audit.Entry{Actor: "setup", Action: "setup.complete", Subject: n.FQDN})
	if err != nil {
		h.Log.Warn("setup is complete but not in the audit log", "err", err)
	}
	h.Log.Info("setup complete", "fqdn", n.FQDN)
	return api.OK(Status{Complete: true}), nil
}
