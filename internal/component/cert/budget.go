package cert

import (
	"context"
	"strings"
	"time"
)

// limits are an authority's, as far as ordering the same again and again can reach them.
type limits struct {
	same      int // certificates for exactly these names in a week
	failures  int // failed validations in an hour
	authority string
}

// published are the limits that authorities tell.
var published = []limits{
	{authority: ".letsencrypt.org", same: 5, failures: 5},
}

func limitsOf(directory string) (limits, bool) {
	name, _, _ := strings.Cut(host(directory), ":")
	for _, l := range published {
		if strings.HasSuffix(name, l.authority) {
			return l, true
		}
	}
	return limits{}, false
}

// budget sees whether the authority would still issue, by what this node ordered lately.
func (p *preflight) budget(ctx context.Context, directory string) {
	l, known := limitsOf(directory)
	if !known {
		p.fine(checkBudget, "", "no known rate limits")
		return
	}
	now := p.service.Now()
	var same, failures int
	err := p.service.DB.QueryRow(ctx, `select
			count(id) filter (where code is null and names @> $2 and names <@ $2 and finished_at > $3),
			count(id) filter (where code in ('validation_failed', 'dns_mismatch', 'port_80_unreachable') and names && $2 and finished_at > $4)
		from acme_orders where directory_url = $1 and finished_at > $3`,
		directory, p.c.Names, now.Add(-7*24*time.Hour), now.Add(-time.Hour)).Scan(&same, &failures)
	switch {
	case err != nil:
		p.doubt(checkBudget, "", internalTrouble, "earlier orders are unknown")
	case same >= l.same:
		p.certain(checkBudget, "", rateLimited, "rate limit reached: %d certificates for the same names within a week", same)
	case failures >= l.failures:
		p.certain(checkBudget, "", rateLimited, "rate limit reached: %d failed orders for these names within an hour", failures)
	default:
		p.fine(checkBudget, "", "%d of %d certificates for the same names this week", same, l.same)
	}
}
