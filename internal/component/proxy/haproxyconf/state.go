package haproxyconf

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// state is what the files are made of, as stored.
type state struct {
	ipv6     bool
	own      []netip.Addr // the addresses of this node, in order
	backends []pool
	servers  map[string][]member // by backend
	domains  []site
	headers  []field
	users    []login
	rules    []route
	ports    []service
}

// The rows that rendering needs. Everything is ordered by name, never by id alone: two
// nodes with the same rows render the same files.
type pool struct {
	ID, Name, Scheme, Algorithm                           string
	Websocket, ForceHTTP1, Active, Sticky, Verify, Checks bool
	TLSName, Path, Host                                   string
	Interval, Status                                      int
}

type member struct {
	BackendID, Name, Address string
	Port, Weight             int
	Backup, Active, Drain    bool
}

type site struct {
	ID, Name            string
	BackendID           *string
	HTTPS, DisableH3    bool
	HSTS                int
	Subdomains, Preload bool
	RateLimit           int
	Maintenance         bool
	MaxBody             int64
	WWW                 string
	AllowFrom           []string
}

type field struct{ DomainID, Name, Value string }

type login struct{ DomainID, Digest string }

type route struct{ DomainID, Path, BackendID string }

type service struct {
	ID, Name, BackendID string
	Port                int
	AllowFrom           []string
}

// newVersions knows the domains of the last time: there may be ten thousand.
func newVersions() *db.Versions[site] {
	return &db.Versions[site]{
		From: `proxy_domains where active order by name`, Table: "proxy_domains",
		Columns: `id::text, name, backend_id::text, http_to_https, disable_h3, hsts_max_age, hsts_subdomains, hsts_preload, rate_limit,
			maintenance, max_body_size, www_redirect, nullif(allow_from, '{}')`,
	}
}

// load reads it all. Only what is active is rendered, but for backends: the sites of an
// inactive one say so.
func load(ctx context.Context, q db.DB, domains *db.Versions[site]) (state, error) {
	s := state{servers: map[string][]member{}}
	var b pgx.Batch
	b.Queue(`select ipv6 from proxy_settings`).QueryRow(func(r pgx.Row) error { return r.Scan(&s.ipv6) })
	queue(&b, &s.backends, `select id::text, name, scheme, lb_algorithm, websocket, force_http1, active, sticky, verify_tls, health_check,
		tls_server_name, health_path, health_host, health_interval, health_status from proxy_backends order by id`)
	var servers []member
	queue(&b, &servers, `select backend_id::text, proxy_name, address, port, weight, backup, active, drain from proxy_servers order by backend_id, proxy_name`)
	queue(&b, &s.headers, `select domain_id::text, name, value from proxy_headers order by domain_id, name`)
	queue(&b, &s.users, `select domain_id::text, digest from proxy_users order by digest`)
	queue(&b, &s.rules, `select domain_id::text, path_prefix, backend_id::text from proxy_rules where active order by domain_id, priority, length(path_prefix) desc, path_prefix, id`)
	queue(&b, &s.ports, `select id::text, name, backend_id::text, port, allow_from from proxy_ports where active order by port`)
	if err := q.SendBatch(ctx, &b).Close(); err != nil {
		return state{}, fmt.Errorf("read the proxy's configuration: %w", err)
	}
	known, err := domains.Load(ctx, q)
	if err != nil {
		return state{}, err
	}
	s.domains = make([]site, len(known))
	for i, d := range known {
		s.domains[i] = *d
	}
	for _, m := range servers {
		s.servers[m.BackendID] = append(s.servers[m.BackendID], m)
	}
	return s, nil
}

func queue[Row any](b *pgx.Batch, into *[]Row, query string) {
	b.Queue(query).Query(func(rows pgx.Rows) (err error) {
		*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
		return err
	})
}
