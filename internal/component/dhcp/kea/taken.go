package kea

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/db"
)

// Taken are names that no client has in the DNS, whatever it calls itself: whoever opens the management or a site by its name
// must not be led to somebody's laptop.
type Taken struct {
	Host  string   // what this machine calls itself; its first label counts, below every domain
	Node  string   // the name that this node was set up with; empty until that is known
	Sites []string // those of the reverse proxy; *.example.com is every name directly below
}

// every stands for all names of a domain.
const every = "*"

// loadTaken reads what is taken of the domains whose names are answered. There may be ten thousand sites, of which
// hardly any is directly below one of them. A site that is switched off keeps its name.
func loadTaken(ctx context.Context, q db.DB, host string) (Taken, error) {
	t := Taken{Host: host}
	nodes, err := db.List[struct{ Name string }](ctx, q, `select name from dhcp_node order by 1`)
	if err != nil {
		return t, fmt.Errorf("read the name of this node: %w", err)
	}
	for _, n := range nodes {
		t.Node = n.Name
	}
	// Mostly there is none, and then nobody looks through the sites at each change of one.
	domains, err := db.List[struct{ Domain string }](ctx, q, `select distinct domain from dhcp_subnets where dns_names and domain <> ''`)
	if err != nil {
		return t, fmt.Errorf("read the domains of subnets: %w", err)
	}
	if len(domains) == 0 {
		return t, nil
	}
	named := make([]string, len(domains))
	for i, d := range domains {
		named[i] = d.Domain
	}
	sites, err := db.List[struct{ Name string }](ctx, q, `select name from proxy_domains where substr(name, strpos(name, '.') + 1) = any($1)
		union select 'www.' || name from proxy_domains where www_redirect <> 'off' and name = any($1) order by 1`, named)
	if err != nil {
		return t, fmt.Errorf("read the names of the sites: %w", err)
	}
	for _, s := range sites {
		t.Sites = append(t.Sites, s.Name)
	}
	return t, nil
}

// Below are the first labels of what is taken directly below a domain, in order; every among them for all.
func (t Taken) Below(domain string) []string {
	var out []string
	if host := Label(t.Host); host != "" {
		out = append(out, host)
	}
	for _, name := range append([]string{t.Node}, t.Sites...) {
		first, rest, _ := strings.Cut(name, ".")
		if rest == domain && (first == every || Label(first) == first && first != "") {
			out = append(out, first)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TakenBelow reads what is taken directly below a domain.
func TakenBelow(ctx context.Context, q db.DB, host, domain string) ([]string, error) {
	t, err := loadTaken(ctx, q, host)
	return t.Below(domain), err
}
