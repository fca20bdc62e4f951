package firewall

import (
	"context"
	"fmt"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// Finding is something about a rule that its author may not know.
type Finding struct {
	Kind     string `json:"kind" enum:"redundant,contradicted,never_hit" doc:"redundant: shadowed by an earlier rule with the same action; contradicted: with a different action; never_hit: no packet has matched yet"`
	RuleID   string `json:"rule_id" doc:"The rule that the finding is about"`
	ByRuleID string `json:"by_rule_id,omitempty" doc:"The earlier rule"`
}

// Cell is what the rules say from one zone to another.
type Cell struct {
	Src    string `json:"src" db:"src" doc:"Source zone"`
	Dst    string `json:"dst" db:"dst" doc:"Destination zone"`
	Rules  int    `json:"rules" db:"rules" doc:"Number of enabled rules from src to dst"`
	Accept int    `json:"accept" db:"accept" doc:"Number of accept rules"`
	Deny   int    `json:"deny" db:"deny" doc:"Number of drop and reject rules"`
	Whole  int    `json:"whole" db:"whole" doc:"Number of rules without address or service, which match every packet between the two"`
}

// Matrix is the policy at one glance.
type Matrix struct {
	Zones []string `json:"zones" doc:"Names of all zones, in display order"`
	Cells []Cell   `json:"cells" doc:"Pairs of zones with their own rules; any counts as a zone"`
}

func (f *firewall) overviewRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-findings", Method: http.MethodGet, Path: "/firewall/findings", Access: api.Viewer,
		Summary:     "List shadowed rules and rules without hits",
		Description: "Compares each rule with those before it, and with the hit counters.",
	}, f.findings)
	api.Handle(r, api.Op{
		ID: "firewall-matrix", Method: http.MethodGet, Path: "/firewall/matrix", Access: api.Viewer,
		Summary:     "Number and actions of the rules from zone to zone",
		Description: "Counts enabled rules that have not expired.",
	}, f.matrix)
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

func (f *firewall) matrix(ctx context.Context, _ *struct{}) (*api.Body[Matrix], error) {
	zones, err := db.List[struct{ Name string }](ctx, f.DB, `select name from firewall_zones order by builtin desc, name`)
	if err != nil {
		return nil, fmt.Errorf("list zones: %w", err)
	}
	m := Matrix{Zones: []string{}}
	for _, z := range zones {
		m.Zones = append(m.Zones, z.Name)
	}
	m.Cells, err = db.List[Cell](ctx, f.DB, `select coalesce(src_zone, 'any') as src, coalesce(dst_zone, 'any') as dst, count(id) as rules,
		count(id) filter (where action = 'accept') as accept, count(id) filter (where action <> 'accept') as deny,
		count(id) filter (where src_kind = 'any' and dst_kind = 'any' and service_object_id is null and service_group_id is null) as whole
		from firewall_rules where enabled and (expires_at is null or expires_at > now()) group by 1, 2 order by 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("count rules: %w", err)
	}
	return api.OK(m), nil
}
