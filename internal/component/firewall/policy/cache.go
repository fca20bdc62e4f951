package policy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"gateway/internal/db"
	"gateway/internal/packetfilter"
)

// cache has the rules, and the addresses of objects and groups, as they were committed at
// some time. There may be a hundred thousand of them, and with every change each process that
// renders needs them all: so it reads what was touched since, and not the rest.
type cache struct {
	mu     sync.Mutex
	since  snapshot
	origin string // which database it was, since when
	read   time.Time

	objects map[id]*addressObject
	members map[id]membership
	groups  map[id]*group
	broken  map[id]*addressObject // those of the objects that cannot be read

	versions *db.Versions[ruleRow]
	rules    []*ruleRow // that are switched on
}

func newCache() *cache {
	return &cache{
		objects: map[id]*addressObject{}, members: map[id]membership{}, groups: map[id]*group{}, broken: map[id]*addressObject{},
		versions: &db.Versions[ruleRow]{
			From: `firewall_rules where enabled order by priority, id`, Table: "firewall_rules",
			Columns: `id::text, name, priority, coalesce(src_zone, 'any'), coalesce(dst_zone, 'any'),
				src_kind, src_object_id, src_group_id, src_cidr, dst_kind, dst_object_id, dst_group_id, dst_cidr,
				service_object_id, service_group_id, action, log, expires_at, uplink_group_id`,
		},
	}
}

// stale is how long a cache is believed without having been read from the start.
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

// addressObject is one address object. It is never changed, only replaced, as a group is.
type addressObject struct {
	name   string
	fqdn   bool
	broken error
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

	objects map[id]*addressObject
	groups  map[id]*group
	broken  map[id]*addressObject
}

// load shows the contents as q sees them. What use is shown is not to be kept but for the
// rules, objects and groups themselves, which do not change any more.
func (c *cache) load(ctx context.Context, q db.DB, use func(contents)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	read, err := c.readChanges(ctx, q)
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	rules := c.rules
	if read.all || slices.Contains(read.touched, anyRule) {
		if rules, err = c.versions.Load(ctx, q); err != nil {
			return err
		}
	}
	if read.all {
		fresh := newCache()
		fresh.update(read)
		use(contents{read.now, rules, fresh.objects, fresh.groups, fresh.broken})
		if !read.writing {
			c.since, c.origin, c.read, c.rules = read.snapshot, read.origin, time.Now(), rules
			c.objects, c.members, c.groups, c.broken = fresh.objects, fresh.members, fresh.groups, fresh.broken
		}
		return nil
	}
	undo := c.update(read)
	use(contents{read.now, rules, c.objects, c.groups, c.broken})
	if read.writing { // what it wrote may never be committed
		undo()
	} else {
		c.since, c.rules = read.snapshot, rules
	}
	return nil
}
