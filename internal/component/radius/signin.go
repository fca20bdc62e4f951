package radius

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// SignIns are the last ones.
type SignIns freeradius.SignIns

// SignInTest is what somebody would enter at a device.
type SignInTest struct {
	User          string      `json:"user" minLength:"1" maxLength:"64" example:"ann" doc:"Name of the user"`
	Password      secret.Text `json:"password" minLength:"1" maxLength:"128" doc:"Password to try; it is not stored"`
	Method        string      `json:"method,omitempty" enum:"pap,chap" default:"pap" doc:"How the device would send the password"`
	ClientAddress string      `json:"client_address,omitempty" maxLength:"64" example:"192.0.2.10" doc:"IP address of the device that would ask; empty to leave that step out"`
}

// SignInResult is what came of a test.
type SignInResult struct {
	Result string `json:"result" enum:"accepted,unknown_client,method,name,unknown_user,disabled,password" doc:"accepted, or the step that refused: unknown_client (no client has this address), method, name (characters that no user has), unknown_user, disabled, password (wrong)"`
	Client string `json:"client" doc:"Name of the client that has the address; empty if none was given, or none has it" example:"ap-1"`
	VLAN   *int   `json:"vlan" doc:"VLAN that the device would be told; null if none"`
}

func (h *handlers) signInRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-radius-sign-ins", Method: http.MethodGet, Path: "/radius/sign-ins", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "List the last sign-ins",
		Description: "From the log of the RADIUS server: the last 500, and the last one of each user. Passwords are not logged.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[SignIns], error) {
		s := SignIns{Users: map[string]freeradius.SignIn{}}
		if err := h.Applier.Ask(ctx, freeradius.Name, freeradius.SignInsVerb, nil, &s); err != nil {
			return nil, err
		}
		return api.OK(s), nil
	})
	api.Handle(r, api.Op{
		ID: "radius-test-sign-in", Method: http.MethodPost, Path: "/radius/test-sign-in", Switched: true,
		Summary:     "Test a sign-in",
		Description: "Asks the running RADIUS server as a device would, and tells which step refused. 409 while it is switched off.",
	}, h.testSignIn)
}

func (h *handlers) testSignIn(ctx context.Context, in *struct{ Body SignInTest }) (*api.Body[SignInResult], error) {
	var out SignInResult
	c := change.Change{Component: freeradius.Name, Action: "radius.sign_in.test", Subject: in.Body.User}
	if err := value.Line(in.Body.User); err != nil {
		return nil, fault.At("user", "must be one line without control characters")
	}
	err := h.Run.Act(ctx, c, func(ctx context.Context) (err error) {
		if err := h.orOff(ctx, nil); err != nil {
			return err
		}
		out, err = h.tryOut(ctx, in.Body)
		return err
	})
	if err != nil {
		return nil, h.orOff(ctx, err)
	}
	return api.OK(out), nil
}

// tryOut goes the steps of a sign-in. Whether a client is known only its address tells, which this
// machine cannot ask from; the rest is the daemon's own answer.
func (h *handlers) tryOut(ctx context.Context, in SignInTest) (out SignInResult, err error) {
	if in.ClientAddress != "" {
		a, err := value.Address(in.ClientAddress)
		if err != nil {
			return out, fault.At("client_address", "must be an IP address")
		}
		if out.Client, err = clientAt(ctx, h.DB, a); err != nil {
			return out, err
		}
		if out.Client == "" {
			out.Result = "unknown_client"
			return out, nil
		}
	}
	p, err := h.probe(ctx, in.User, in.Password.Reveal(), in.Method == "chap")
	if err != nil {
		return out, err
	}
	out.Result = freeradius.Result(p.Code == protocol.AccessAccept, string(p.Get(protocol.ReplyMessage)))
	if vlan, err := strconv.Atoi(string(p.Get(protocol.TunnelPrivateGroupID))); err == nil {
		out.VLAN = &vlan
	}
	return out, nil
}

// clientAt is the client of an address: the one with the longest network, as for the daemon.
func clientAt(ctx context.Context, q db.DB, a netip.Addr) (name string, err error) {
	rows, err := db.List[struct{ Name, Address string }](ctx, q, `select name, address from radius_clients order by name`)
	if err != nil {
		return "", fmt.Errorf("read the RADIUS clients: %w", err)
	}
	bits := -1
	for _, r := range rows {
		if n, err := freeradius.ClientNetwork(r.Address); err == nil && n.Contains(a) && n.Bits() > bits {
			name, bits = r.Name, n.Bits()
		}
	}
	return name, nil
}
