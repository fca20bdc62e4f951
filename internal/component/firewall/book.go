package firewall

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// book knows the addresses of objects and groups as they were committed at some time.
// There may be a hundred thousand of them, and with every change each process that renders
// needs them all: so it reads what was touched since, and not the rest.
type book struct {
	mu     sync.Mutex
	since  snapshot
	origin string // which database it was, since when
	read   time.Time

	objects map[id]*named
	members map[id]membership
	groups  map[id]*group
	broken  map[id]*named // those of the objects that cannot be read

	versions *db.Versions[ruleRow]
	rules    []*ruleRow // that are switched on
}

func newBook() *book {
	return &book{
		objects: map[id]*named{}, members: map[id]membership{}, groups: map[id]*group{}, broken: map[id]*named{},
		versions: &db.Versions[ruleRow]{
			From: `firewall_rules where enabled order by priority, id`, Table: "firewall_rules",
			Columns: `id::text, name, priority, coalesce(src_zone, 'any'), coalesce(dst_zone, 'any'),
				src_kind, src_object_id, src_group_id, src_cidr, dst_kind, dst_object_id, dst_group_id, dst_cidr,
				service_object_id, service_group_id, action, log, expires_at`,
		},
	}
}

// stale is how long a book is believed without having been read from the start.
const stale = time.Hour

type id [16]byte

// ScanUUID lets the database fill it in; null is the zero one.
func (i *id) ScanUUID(v pgtype.UUID) error {
	*i = v.Bytes
	return nil
}

func (i id) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", i[0:4], i[4:6], i[6:8], i[8:10], i[10:16])
}

// named is an address object. It is never changed, only replaced, as a group is.
type named struct {
	name   string
	fqdn   bool
	broken string
	ranges []packetfilter.Range
	groups []id // that it is in
}

type membership struct{ group, object id }

// group is the addresses of all its members: those of each by itself, so that one can be
// taken out, and together.
type group struct {
	entries []entry
	set     *packetfilter.Addresses
}

type entry struct {
	packetfilter.Range
	of id
}

func (e entry) compare(o entry) int {
	return cmp.Or(e.From.Compare(o.From), e.To.Compare(o.To), bytes.Compare(e.of[:], o.of[:]))
}

// contents are the rules, and the addresses that they can refer to, by id.
type contents struct {
	now   time.Time
	rules []*ruleRow

	objects map[id]*named
	groups  map[id]*group
	broken  map[id]*named
}

// load shows the contents as q sees them. What use is shown is not to be kept but for the
// rules, objects and groups themselves, which do not change any more.
func (b *book) load(ctx context.Context, q db.DB, use func(contents)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, err := b.news(ctx, q)
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	rules := b.rules
	if p.all || slices.Contains(p.touched, anyRule) {
		if rules, err = b.versions.Load(ctx, q); err != nil {
			return err
		}
	}
	if p.all {
		fresh := newBook()
		fresh.turn(p)
		use(contents{p.now, rules, fresh.objects, fresh.groups, fresh.broken})
		if !p.writing {
			b.since, b.origin, b.read, b.rules = p.snapshot, p.origin, time.Now(), rules
			b.objects, b.members, b.groups, b.broken = fresh.objects, fresh.members, fresh.groups, fresh.broken
		}
		return nil
	}
	back := b.turn(p)
	use(contents{p.now, rules, b.objects, b.groups, b.broken})
	if p.writing { // what it wrote may never be committed
		back()
	} else {
		b.since, b.rules = p.snapshot, rules
	}
	return nil
}

// forget removes what no book needs any more: each is read from the start when it is stale.
func (p *part) forget(ctx context.Context) error {
	_, err := p.DB.Exec(ctx, `delete from firewall_touched where at < now() - interval '1 day'`)
	if err != nil {
		return fmt.Errorf("forget which addresses were touched: %w", err)
	}
	return nil
}

// anyRule stands for all rules among what was touched.
var anyRule = id{6: 0x70, 8: 0x80, 13: 0x30, 15: 0x20}

// page is what is read of the database: everything, or what was touched.
type page struct {
	snapshot snapshot
	now      time.Time // of the database
	origin   string
	writing  bool // by a transaction that has written something
	all      bool

	touched []id
	objects map[id]*named
	members map[id]membership
}

// news reads what was touched since, else everything.
func (b *book) news(ctx context.Context, q db.DB) (*page, error) {
	if b.origin != "" && time.Since(b.read) < stale {
		p, err := readPage(ctx, q, &b.since.min)
		if err != nil {
			return nil, err
		}
		if p.origin == b.origin && p.snapshot.holds(b.since) {
			return p, nil
		}
	}
	return readPage(ctx, q, nil)
}

// One statement, so that all of it is of one moment, wherever it runs.
const pageQuery = `select case when pg_current_xact_id_if_assigned() is null then 0 else 1 end, null::uuid, null::uuid, null::uuid, pg_current_snapshot()::text,
		pg_postmaster_start_time() || ' ' || current_database() || ' ' || 'firewall_touched'::regclass::oid, extract(epoch from now())::text
	union all select 2, id, null, null, '', '', '' from t
	union all select 3, id, null, null, name, kind, value from firewall_address_objects %[1]s
	union all select 4, object_id, null, null, host(address), '', '' from firewall_resolved %[2]s
	union all select 5, id, group_id, object_id, '', '', '' from firewall_address_members %[1]s`

var (
	allQuery     = `with t as (select null::uuid as id where false) ` + fmt.Sprintf(pageQuery, "", "")
	touchedQuery = `with t as materialized (select id from firewall_touched where changed >= $1::text::xid8) ` +
		fmt.Sprintf(pageQuery, "where id = any(array(select id from t))", "where object_id = any(array(select id from t))")
)

// readPage reads what was touched since a transaction, or everything.
func readPage(ctx context.Context, q db.DB, since *uint64) (*page, error) {
	query, args := allQuery, []any{}
	if since != nil {
		query, args = touchedQuery, []any{fmt.Sprint(*since)}
	}
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	p := &page{all: since == nil, objects: map[id]*named{}, members: map[id]membership{}}
	resolved := map[id][]packetfilter.Range{}
	var what int
	var one, of, object id
	var a, b, c string
	_, err = pgx.ForEachRow(rows, []any{&what, &one, &of, &object, &a, &b, &c}, func() (err error) {
		switch what {
		case 0, 1:
			p.origin, p.writing = b, what == 1
			err = p.moment(a, c)
		case 2:
			p.touched = append(p.touched, one)
		case 3:
			p.objects[one] = newNamed(a, b, c)
		case 4:
			if addr, err := netip.ParseAddr(a); err == nil {
				resolved[one] = append(resolved[one], packetfilter.Range{From: addr, To: addr})
			}
		case 5:
			p.members[one] = membership{of, object}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.complete(resolved)
	return p, nil
}

func (p *page) moment(at, now string) (err error) {
	if p.snapshot, err = parseSnapshot(at); err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(now, 64)
	p.now = time.UnixMicro(int64(seconds * 1e6))
	return err
}

// newNamed reads an object; what cannot be read is broken.
func newNamed(name, kind, text string) *named {
	o := &named{name: name, fqdn: kind == "fqdn"}
	if o.fqdn {
		return o
	}
	r, err := addressRange(kind, text)
	if err != nil {
		o.broken = err.Error()
		return o
	}
	o.ranges = []packetfilter.Range{r}
	return o
}

// complete adds what names were resolved to.
func (p *page) complete(resolved map[id][]packetfilter.Range) {
	for key, ranges := range resolved {
		if o := p.objects[key]; o != nil && o.fqdn {
			o.ranges = ranges
		}
	}
	if !p.all {
		return
	}
	p.touched = slices.AppendSeq(slices.Collect(maps.Keys(p.objects)), maps.Keys(p.members))
}
