package firewall

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/packetfilter"
)

// Finding is something about a rule that its author may not know.
type Finding struct {
	Kind     string `json:"kind" enum:"redundant,contradicted,never_hit" doc:"redundant: shadowed by an earlier rule with the same action; contradicted: with a different action; never_hit: no packet has matched yet"`
	RuleID   string `json:"rule_id" doc:"The rule that the finding is about"`
	ByRuleID string `json:"by_rule_id,omitempty" doc:"The earlier rule"`
}

func (f *firewall) overviewRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-findings", Method: http.MethodGet, Path: "/firewall/findings", Access: api.Viewer,
		Summary:     "List shadowed rules and rules without hits",
		Description: "Compares each rule with those before it, and with the hit counters.",
	}, f.findings)
	f.matrixRoute(r)
}

func (f *firewall) findings(ctx context.Context, _ *struct{}) (*api.Body[[]Finding], error) {
	s, err := f.Policy.Load(ctx, f.DB)
	if err != nil {
		return nil, err
	}
	out := []Finding{}
	for _, covered := range packetfilter.Covered(&s.Policy) {
		out = append(out, Finding{Kind: covered.Kind, RuleID: covered.Rule.ID, ByRuleID: covered.By.ID})
	}
	counted, err := f.askCounters(ctx)
	if err != nil {
		return api.OK(out), nil //nolint:nilerr // what the rules say of themselves is worth telling alone
	}
	for _, c := range counted {
		if !c.NAT && c.Packets == 0 {
			out = append(out, Finding{Kind: "never_hit", RuleID: c.RuleID})
		}
	}
	return api.OK(out), nil
}
