package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/resource"
)

// coverRow is a certificate that is served.
type coverRow struct {
	ID                  string
	Names               []string
	NotBefore, NotAfter time.Time
}

// covers are the certificates by the names in them; of several, the one that lasts longest.
type covers map[string]coverRow

func readCovers(ctx context.Context, q db.DB) (covers, error) {
	all, err := db.List[coverRow](ctx, q, `select id::text as id, issued_names as names, not_before, not_after from certificates
		where chain is not null and not_before is not null and not_after is not null`)
	if err != nil {
		return nil, fmt.Errorf("list certificates: %w", err)
	}
	c := covers{}
	for _, row := range all {
		for _, name := range row.Names {
			if known, there := c[name]; !there || row.NotAfter.After(known.NotAfter) {
				c[name] = row
			}
		}
	}
	return c, nil
}

// of is the certificate for a name. A wildcard stands for exactly one label.
func (c covers) of(name string) (coverRow, bool) {
	if row, ok := c[name]; ok {
		return row, true
	}
	_, parent, _ := strings.Cut(name, ".")
	row, ok := c["*."+parent]
	return row, ok
}

// expiring is when a renewal has failed for a while: two weeks before the end, or for
// short-lived ones when a quarter of the lifetime is left.
func (r coverRow) expiring(now time.Time) bool {
	return r.NotAfter.Sub(now) < min(14*24*time.Hour, r.NotAfter.Sub(r.NotBefore)/4)
}

// CoveredDomain is a domain whose visitors get a certificate.
type CoveredDomain struct {
	ID   string `json:"id" db:"id" doc:"Id of the domain"`
	Name string `json:"name" db:"name" doc:"Its name"`
}

func (s *service) coverRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-certificate-domains", Method: http.MethodGet, Path: "/certificate-domains/{id}", Access: api.Viewer,
		Summary:     "List the domains that use a certificate",
		Description: "The active domains whose visitors are sent this certificate: their name, or the one with www. that is redirected, is in it or below one of its wildcards, and no other that covers it lasts longer.",
	}, s.coveredDomains)
}

func (s *service) coveredDomains(ctx context.Context, in *resource.One) (*api.Body[[]CoveredDomain], error) {
	known := false
	if db.ValidID(in.ID) {
		if err := s.DB.QueryRow(ctx, `select exists (select from certificates where id = $1)`, in.ID).Scan(&known); err != nil {
			return nil, fmt.Errorf("look for certificate %s: %w", in.ID, err)
		}
	}
	if !known {
		return nil, db.Fault(pgx.ErrNoRows, "certificate", nil)
	}
	all, err := readCovers(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	domains, err := db.List[servedDomain](ctx, s.DB, `select id::text as id, name, www_redirect <> 'off' as www
		from proxy_domains where active order by name`)
	if err != nil {
		return nil, fmt.Errorf("list domains: %w", err)
	}
	used := []CoveredDomain{}
	for _, d := range domains {
		if slices.ContainsFunc(d.names(), func(name string) bool { cover, ok := all.of(name); return ok && cover.ID == in.ID }) {
			used = append(used, CoveredDomain{d.ID, d.Name})
		}
	}
	return api.OK(used), nil
}

// servedDomain is a domain that has visitors.
type servedDomain struct {
	ID, Name string
	WWW      bool
}

// names are those that visitors ask for: who is redirected from one to the other is served both.
func (d servedDomain) names() []string {
	if d.WWW {
		return []string{d.Name, "www." + d.Name}
	}
	return []string{d.Name}
}
