package policy

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// anyRule stands for all rules among what was touched.
var anyRule = id{6: 0x70, 8: 0x80, 13: 0x30, 15: 0x20}

// changes are what is read of the database: everything, or what was touched.
type changes struct {
	snapshot snapshot
	now      time.Time // of the database
	origin   string
	writing  bool // by a transaction that has written something
	all      bool

	touched []id
	objects map[id]*addressObject
	members map[id]membership
}

// readChanges reads what was touched since, else everything.
func (c *cache) readChanges(ctx context.Context, q db.DB) (*changes, error) {
	if c.origin != "" && time.Since(c.read) < stale {
		read, err := readSince(ctx, q, &c.since.min)
		if err != nil {
			return nil, err
		}
		if read.origin == c.origin && read.snapshot.holds(c.since) {
			return read, nil
		}
	}
	return readSince(ctx, q, nil)
}

// One statement, so that all of it is of one moment, wherever it runs.
const changesQuery = `select case when pg_current_xact_id_if_assigned() is null then 0 else 1 end, null::uuid, null::uuid, null::uuid, pg_current_snapshot()::text,
		pg_postmaster_start_time() || ' ' || current_database() || ' ' || 'firewall_touched'::regclass::oid, extract(epoch from now())::text
	union all select 2, id, null, null, '', '', '' from t
	union all select 3, id, null, null, name, kind, value from firewall_address_objects %[1]s
	union all select 4, object_id, null, null, host(address), '', '' from firewall_resolved %[2]s
	union all select 5, id, group_id, object_id, '', '', '' from firewall_address_members %[1]s`

var (
	allQuery     = `with t as (select null::uuid as id where false) ` + fmt.Sprintf(changesQuery, "", "")
	touchedQuery = `with t as materialized (select id from firewall_touched where changed >= $1::text::xid8) ` +
		fmt.Sprintf(changesQuery, "where id = any(array(select id from t))", "where object_id = any(array(select id from t))")
)

// readSince reads what was touched since a transaction, or everything.
func readSince(ctx context.Context, q db.DB, since *uint64) (*changes, error) {
	query, args := allQuery, []any{}
	if since != nil {
		query, args = touchedQuery, []any{fmt.Sprint(*since)}
	}
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	read := &changes{all: since == nil, objects: map[id]*addressObject{}, members: map[id]membership{}}
	resolved := map[id][]packetfilter.Range{}
	var what int
	var one, of, object id
	var a, b, c string
	_, err = pgx.ForEachRow(rows, []any{&what, &one, &of, &object, &a, &b, &c}, func() (err error) {
		switch what {
		case 0, 1:
			read.origin, read.writing = b, what == 1
			err = read.moment(a, c)
		case 2:
			read.touched = append(read.touched, one)
		case 3:
			read.objects[one] = newAddressObject(a, b, c)
		case 4:
			if addr, err := netip.ParseAddr(a); err == nil {
				resolved[one] = append(resolved[one], packetfilter.Range{From: addr, To: addr})
			}
		case 5:
			read.members[one] = membership{of, object}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	read.complete(resolved)
	return read, nil
}

func (c *changes) moment(at, now string) (err error) {
	if c.snapshot, err = parseSnapshot(at); err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(now, 64)
	c.now = time.UnixMicro(int64(seconds * 1e6))
	return err
}

// newAddressObject reads an object; what cannot be read is broken.
func newAddressObject(name, kind, text string) *addressObject {
	o := &addressObject{name: name, fqdn: kind == "fqdn"}
	if o.fqdn {
		return o
	}
	r, err := Range(kind, text)
	if err != nil {
		o.broken = err
		return o
	}
	o.ranges = []packetfilter.Range{r}
	return o
}

// complete adds what names were resolved to.
func (c *changes) complete(resolved map[id][]packetfilter.Range) {
	for key, ranges := range resolved {
		if o := c.objects[key]; o != nil && o.fqdn {
			o.ranges = ranges
		}
	}
	if !c.all {
		return
	}
	c.touched = slices.AppendSeq(slices.Collect(maps.Keys(c.objects)), maps.Keys(c.members))
}
