package tunnel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gateway/internal/component/tunnel"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/fault"
	"gateway/internal/rtnl/reconcile"
)

// reporter is a gateway-apply that says what it is told to.
type reporter struct {
	report wireguard.Report
	err    error
}

func (r *reporter) Ask(_ context.Context, _, verb string, _, out any) error {
	answer, ok := out.(*wireguard.Report)
	if !ok || verb != wireguard.StatusVerb {
		return fmt.Errorf("asked for %s", verb)
	}
	*answer = r.report
	return r.err
}

// The browser shows a tunnel green by these: a list of problems ends after 200.
func TestStatesAreOfAllTunnelsHoweverManyProblemsThereAre(t *testing.T) {
	r := newRig(t)
	broken, fine := r.server("wg0", "10.8.0.1/24"), r.server("wg1", "10.9.0.1/24")
	says := &reporter{report: wireguard.Report{Wrong: []reconcile.Trouble{
		{Kind: reconcile.Refused, Subject: "tunnel wg0", Why: fault.Said("the kernel knows no WireGuard")},
	}}}
	source := tunnel.New(tunnel.Options{DB: r.Pool, Applier: says}).Problems

	found, err := source.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := found.States["tunnel"][broken.ID]; s.State != "not_applied" || s.Code != "tunnel.refused" {
		t.Errorf("the state of a tunnel that is refused = %+v", s)
	}
	if s, listed := found.States["tunnel"][fine.ID]; listed {
		t.Errorf("the state of a tunnel that works = %+v", s)
	}
	if len(source.Objects) != 1 || source.Objects[0] != "tunnel" {
		t.Errorf("kinds of objects = %v", source.Objects)
	}

	says.err = errors.New("away")
	if _, err := source.Find(t.Context()); err == nil {
		t.Error("states are known while gateway-apply is away")
	}
}
