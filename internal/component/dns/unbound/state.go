package unbound

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// state is what the file is made of, as stored.
type state struct {
	settings Settings
	zones    []Zone
	records  []row
}

// load reads it all in one round trip. The order is by name, never by id: two nodes
// with the same rows render the same file. about is how many records there may be.
func load(ctx context.Context, q db.DB, about int) (state, error) {
	s := state{records: make([]row, 0, about)}
	var b pgx.Batch
	b.Queue(`select enabled, upstream_forwards, access_acl, listen_addresses, cache_min_ttl, cache_max_ttl, dnssec, qname_minimisation from dns_settings`).
		QueryRow(func(r pgx.Row) error {
			in := &s.settings
			return r.Scan(&in.Enabled, &in.UpstreamForwards, &in.AccessACL, &in.ListenAddresses, &in.CacheMinTTL, &in.CacheMaxTTL, &in.DNSSEC, &in.QNAMEMinimisation)
		})
	b.Queue(`select name, forward_to from dns_zones order by name`).Query(func(rows pgx.Rows) (err error) {
		s.zones, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Zone])
		return err
	})
	b.Queue(`select fqdn, type, value, ttl from dns_records order by fqdn, type, value`).Query(func(rows pgx.Rows) error {
		var r row
		_, err := pgx.ForEachRow(rows, []any{&r.FQDN, &r.Type, &r.Value, &r.TTL}, func() error {
			s.records = append(s.records, r)
			return nil
		})
		return err
	})
	if err := q.SendBatch(ctx, &b).Close(); err != nil {
		return state{}, fmt.Errorf("read the resolver's configuration: %w", err)
	}
	return s, nil
}
