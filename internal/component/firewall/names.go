package firewall

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"gateway/internal/change"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/db"
)

const (
	// lookUpEvery is how soon a new name has addresses, lookAgain how long they are believed.
	lookUpEvery = 15 * time.Second
	lookAgain   = 5 * time.Minute
	lookTime    = 5 * time.Second
	lookers     = 8
)

// dueName is an address object that is a name, and when it was last looked up.
type dueName struct {
	ID, Value string
	At        *time.Time
}

// lookUp resolves the names that are due, in the background: the kernel would do it while it
// loads the rules, and a name server that is away would take all of them along. A name that
// does not resolve keeps the addresses it had.
func (f *firewall) lookUp(ctx context.Context) error {
	due, err := db.List[dueName](ctx, f.DB, `select o.id, o.value, max(r.resolved_at) as at
		from firewall_address_objects o left join firewall_resolved r on r.object_id = o.id
		where o.kind = 'fqdn' group by o.id, o.value
		having max(r.resolved_at) is null or max(r.resolved_at) < $1`, f.Now().Add(-lookAgain))
	if err != nil {
		return fmt.Errorf("list names to look up: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(lookers)
	for _, n := range due {
		g.Go(func() error { return f.lookUpOne(ctx, n) })
	}
	return g.Wait()
}

func (f *firewall) lookUpOne(ctx context.Context, n dueName) error {
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	found, err := f.Lookup(limited, n.Value)
	if err != nil || len(found) == 0 {
		f.Log.Warn("a name of the packet filter does not resolve; it keeps its addresses", "name", n.Value, "err", err)
		return nil
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	slices.SortFunc(found, netip.Addr.Compare)
	return f.keep(ctx, n.ID, slices.Compact(found))
}

// keep stores what a name resolved to, and has the rules rendered anew if that is news.
func (f *firewall) keep(ctx context.Context, id string, found []netip.Addr) error {
	return pgx.BeginFunc(ctx, f.DB, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `delete from firewall_resolved where object_id = $1 returning address`, id)
		if err != nil {
			return fmt.Errorf("forget old addresses: %w", err)
		}
		had, err := pgx.CollectRows(rows, pgx.RowTo[netip.Addr])
		if err != nil {
			return fmt.Errorf("forget old addresses: %w", err)
		}
		for _, addr := range found {
			if _, err := tx.Exec(ctx, `insert into firewall_resolved (object_id, address, resolved_at) values ($1, $2, $3)`, id, addr, f.Now()); err != nil {
				return fmt.Errorf("keep what a name resolves to: %w", err)
			}
		}
		slices.SortFunc(had, netip.Addr.Compare)
		if slices.Equal(had, found) {
			return nil
		}
		_, err = tx.Exec(ctx, `select pg_notify($1, $2)`, change.Channel, filter.Name)
		return err
	})
}

// forget removes what no policy.Reader needs any more: each reads from the start again within the hour.
func (f *firewall) forget(ctx context.Context) error {
	_, err := f.DB.Exec(ctx, `delete from firewall_touched where at < now() - interval '1 day'`)
	if err != nil {
		return fmt.Errorf("forget which addresses were touched: %w", err)
	}
	return nil
}
