package uplink_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gateway/internal/apply"
	"gateway/internal/component/uplink"
	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/rtnl/reconcile"
)

// reporter is a gateway-apply that says what it is told to.
type reporter struct {
	report multiwan.Report
	err    error
}

func (r *reporter) Ask(_ context.Context, _, verb string, _, out any) error {
	answer, ok := out.(*multiwan.Report)
	if !ok || verb != multiwan.StatusVerb {
		return fmt.Errorf("asked for %s", verb)
	}
	*answer = r.report
	return r.err
}

func (r *reporter) States(context.Context) ([]apply.State, error) { return nil, r.err }

func TestStatesFollowTheMonitor(t *testing.T) {
	r := newRig(t)
	first := r.Do("POST", "/uplinks", object{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1"}).Want(201).ID()
	second := r.Do("POST", "/uplinks", object{"name": "mobile", "interface": "wan2", "gateway": "198.51.100.1"}).Want(201).ID()
	off := r.Do("POST", "/uplinks", object{"name": "old", "interface": "wan1", "gateway": "fe80::1", "active": false}).Want(201).ID()
	group := r.Do("POST", "/uplink-groups", object{"name": "internet", "is_default": true}).Want(201).ID()
	changed := func(when string) {
		for _, table := range []string{"uplink_uplinks", "uplink_groups"} {
			r.Restore(`update ` + table + ` set updated_at = now() + interval '` + when + `'`)
		}
	}
	changed("1 minute") // however slow the test is
	fresh := uplink.New(uplink.Options{DB: r.Pool, Applier: &reporter{report: multiwan.Report{Known: true}}}).Problems
	if found, err := fresh.Find(t.Context()); err != nil || found.States["uplink"][first].Code != "uplink.applying" || found.States["uplink_group"][group].Code != "uplink.applying" {
		t.Errorf("what was stored just now is %+v %v", found.States, err)
	}
	changed("-1 minute")
	report := func(a, b health.State) multiwan.Report {
		g := multiwan.GroupStatus{ID: group, Name: "internet", Members: []string{first, second}, Usable: a.Usable() || b.Usable()}
		return multiwan.Report{Known: true, Groups: []multiwan.GroupStatus{g}, Uplinks: []multiwan.UplinkStatus{
			{ID: first, Name: "fibre", Interface: "wan1", Status: health.Status{State: a}},
			{ID: second, Name: "mobile", Interface: "wan2", Status: health.Status{State: b}},
		}}
	}
	refused := report(health.Up, health.Up)
	refused.Wrong = []reconcile.Trouble{reconcile.NewRefusal("uplink fibre: route", errors.New("no"))}
	named := report(health.Up, health.Up)
	named.Uplinks[1].Name = "fibre: B"
	named.Wrong = []reconcile.Trouble{reconcile.NewRefusal("uplink fibre: B", errors.New("no"))}
	whole := report(health.Up, health.Up)
	whole.Wrong = []reconcile.Trouble{reconcile.NewRefusal("uplink group internet", errors.New("no"))}
	empty := report(health.Up, health.Up)
	empty.Groups[0].Empty, empty.Groups[0].Members = true, nil
	less := report(health.Up, health.Up)
	less.Uplinks = less.Uplinks[1:]
	for _, tc := range []struct {
		name                 string
		report               multiwan.Report
		first, second, group string
	}{
		{"both work", report(health.Up, health.Up), " ", " ", " "},
		{"one fails", report(health.Loss, health.Up), "loss uplink.loss", " ", "degraded uplink.group_degraded"},
		{"both fail", report(health.Down, health.NoCarrier), "down uplink.down", "no_carrier uplink.no_carrier", "down uplink.none_up"},
		{"one is slow, and nobody asks the other", report(health.Slow, health.Unmonitored), "slow uplink.slow", "unchecked uplink.unmonitored", "degraded uplink.group_degraded"},
		{"the monitor is silent", report(health.Unknown, health.Unknown), "unknown uplink.unjudged", "unknown uplink.unjudged", "unknown uplink.group_unjudged"},
		{"the kernel refuses one", refused, "not_applied uplink.refused", " ", "degraded uplink.group_degraded"},
		{"the kernel refuses one whose name begins as the other's", named, " ", "not_applied uplink.refused", "degraded uplink.group_degraded"},
		{"the kernel refuses the route of the group", whole, " ", " ", "not_applied uplink.refused"},
		{"gateway-apply has not got one", less, "not_applied uplink.not_applied", " ", " "},
		{"the group has no members", empty, " ", " ", "empty "},
		{"gateway-apply has just started", multiwan.Report{}, "unknown uplink.unjudged", "unknown uplink.unjudged", "unknown uplink.group_unjudged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, err := uplink.New(uplink.Options{DB: r.Pool, Applier: &reporter{report: tc.report}}).Problems.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []struct{ kind, id, want string }{
				{"uplink", first, tc.first}, {"uplink", second, tc.second}, {"uplink", off, "disabled "}, {"uplink_group", group, tc.group},
			} {
				s := found.States[one.kind][one.id]
				if got := s.State + " " + s.Code; got != one.want {
					t.Errorf("%s: %q, want %q", one.kind, got, one.want)
				}
			}
			for _, p := range found.Problems {
				if want := map[string]string{"uplink": "/uplinks/" + p.Subject.ID, "uplink_group": "/uplinks?tab=groups"}[p.Subject.Kind]; p.Link != want {
					t.Errorf("%s of %s leads to %s, want %s", p.Code, p.Subject.Name, p.Link, want)
				}
			}
		})
	}
	if _, err := uplink.New(uplink.Options{DB: r.Pool, Applier: &reporter{err: errors.New("away")}}).Problems.Find(t.Context()); err == nil {
		t.Error("states are known while gateway-apply is away")
	}
}
