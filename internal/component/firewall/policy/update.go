package policy

import (
	"net/netip"
	"slices"

	"gateway/internal/packetfilter"
)

// edit is what comes into a group and what goes out of it.
type edit struct{ added, removed []entry }

// update brings the cache to what was read. undo takes it back.
func (c *cache) update(read *changes) (undo func()) {
	u := &updater{cache: c, edits: map[id]*edit{}}
	for _, key := range read.touched {
		u.member(key, read)
	}
	for _, key := range read.touched {
		u.object(key, read)
	}
	for key, e := range u.edits {
		put(u, c.groups, key, c.groups[key].with(e))
	}
	return func() {
		for _, step := range slices.Backward(u.undo) {
			step()
		}
	}
}

// updater is one update under way, and how each step of it is undone.
type updater struct {
	*cache
	edits map[id]*edit
	undo  []func()
}

// put sets a value of a map, or takes it out when it is the zero one.
func put[V comparable](u *updater, m map[id]V, key id, now V) {
	var none V
	was, had := m[key]
	u.undo = append(u.undo, func() {
		if had {
			m[key] = was
		} else {
			delete(m, key)
		}
	})
	if now == none {
		delete(m, key)
	} else {
		m[key] = now
	}
}

// member follows a membership: its object leaves one group and enters another.
func (u *updater) member(key id, read *changes) {
	was, is := u.members[key], read.members[key]
	if was == is {
		return
	}
	put(u, u.members, key, is)
	if o := u.objects[was.object]; o != nil {
		u.leave(was.group, was.object, o)
		put(u, u.objects, was.object, o.in(slices.DeleteFunc(slices.Clone(o.groups), func(g id) bool { return g == was.group })))
	}
	if is == (membership{}) {
		return
	}
	o := u.objects[is.object]
	if o == nil { // it is new as well; its addresses come with it
		o = &addressObject{}
	}
	u.enter(is.group, is.object, o)
	put(u, u.objects, is.object, o.in(append(slices.Clone(o.groups), is.group)))
}

// object follows what an object is, in all groups that it is in.
func (u *updater) object(key id, read *changes) {
	was, is := u.objects[key], read.objects[key]
	if was == nil && is == nil {
		return
	}
	u.noteBroken(key, is)
	if is == nil {
		for _, g := range was.groups {
			u.leave(g, key, was)
		}
		put(u, u.objects, key, nil)
		return
	}
	if was == nil {
		was = &addressObject{}
	}
	for _, g := range was.groups {
		u.leave(g, key, was)
		u.enter(g, key, is)
	}
	put(u, u.objects, key, is.in(was.groups))
}

// noteBroken keeps account of what cannot be read.
func (u *updater) noteBroken(key id, o *addressObject) {
	if o == nil || o.broken == nil {
		o = nil
	}
	if o != u.broken[key] {
		put(u, u.broken, key, o)
	}
}

// in is the object with other groups that it is in.
func (o *addressObject) in(groups []id) *addressObject {
	changed := *o
	changed.groups = groups
	return &changed
}

func (u *updater) edit(group id) *edit {
	if u.edits[group] == nil {
		u.edits[group] = &edit{}
	}
	return u.edits[group]
}

func (u *updater) leave(group, object id, o *addressObject) {
	e := u.edit(group)
	for _, r := range o.ranges {
		e.removed = append(e.removed, entry{r, object})
	}
}

func (u *updater) enter(group, object id, o *addressObject) {
	e := u.edit(group)
	for _, r := range o.ranges {
		e.added = append(e.added, entry{r, object})
	}
}

// with is the group after an edit. What came and went within it is no change.
func (g *group) with(e *edit) *group {
	slices.SortFunc(e.added, entry.compare)
	slices.SortFunc(e.removed, entry.compare)
	added, removed := without(e.added, e.removed), without(e.removed, e.added)
	if g == nil {
		g = &group{set: &packetfilter.Addresses{}}
	} else if len(added)+len(removed) == 0 {
		return g
	}
	if len(added)+len(removed) > fewEdits {
		list := merged(without(g.entries, removed), added)
		return &group{list, union(list)}
	}
	return g.spliced(added, removed)
}

// fewEdits is up to how many of them it is cheaper to look at what lies around each.
const fewEdits = 16

// spliced is the group after few edits: the rest of a hundred thousand is only copied.
func (g *group) spliced(added, removed []entry) *group {
	now := &group{entries: append(make([]entry, 0, len(g.entries)+len(added)), g.entries...)}
	for _, e := range removed {
		if i, found := slices.BinarySearchFunc(now.entries, e, entry.compare); found {
			now.entries = slices.Delete(now.entries, i, i+1)
		}
	}
	for _, e := range added {
		i, _ := slices.BinarySearchFunc(now.entries, e, entry.compare)
		now.entries = slices.Insert(now.entries, i, e)
	}
	at := union(slices.Concat(removed, added))
	now.set = &packetfilter.Addresses{V4: now.mended(g.set.V4, at.V4, true), V6: now.mended(g.set.V6, at.V6, false)}
	return now
}

// mended is the list of one family after entries came or went at some places.
func (g *group) mended(list, at []packetfilter.Range, v4 bool) []packetfilter.Range {
	if len(at) == 0 {
		return list
	}
	out := make([]packetfilter.Range, 0, len(list)+2*len(at))
	for _, hull := range hulls(list, at, v4) {
		i, _ := slices.BinarySearchFunc(list, hull, func(r, hull packetfilter.Range) int {
			if r.To.Less(hull.From) {
				return -1
			}
			return 1
		})
		out = append(out, list[:i]...)
		for list = list[i:]; len(list) > 0 && !hull.To.Less(list[0].From); list = list[1:] {
		}
		out = append(out, union(g.entries[g.position(hull.From):g.position(hull.To.Next())]).Of(v4)...)
	}
	if out = append(out, list...); len(out) == 0 {
		return nil
	}
	return out
}

// hulls are the places together with all ranges that touch them. Every entry, of before and
// after, lies in one of them as a whole or outside of them all: ranges are apart.
func hulls(list, at []packetfilter.Range, v4 bool) []packetfilter.Range {
	var wide []packetfilter.Range
	for _, place := range at {
		i, _ := slices.BinarySearchFunc(list, place, func(r, place packetfilter.Range) int {
			if before(r.To, place.From) {
				return -1
			}
			return 1
		})
		wide = append(wide, place)
		for ; i < len(list) && !before(place.To, list[i].From); i++ {
			wide = append(wide, list[i])
		}
	}
	return packetfilter.Merge(wide).Of(v4)
}

// position is that of the first entry that begins at an address or behind it.
func (g *group) position(addr netip.Addr) int {
	if !addr.IsValid() { // behind the last one of all
		return len(g.entries)
	}
	i, _ := slices.BinarySearchFunc(g.entries, addr, func(e entry, addr netip.Addr) int {
		if e.From.Less(addr) {
			return -1
		}
		return 1
	})
	return i
}

// before reports whether there is an address between the end of one range and the beginning
// of the next.
func before(end, begin netip.Addr) bool {
	next := end.Next()
	return next.IsValid() && next.Less(begin)
}

// union is the addresses of entries.
func union(list []entry) *packetfilter.Addresses {
	ranges := make([]packetfilter.Range, len(list))
	for i, e := range list {
		ranges[i] = e.Range
	}
	set := packetfilter.Merge(ranges)
	return &set
}

// without is a sorted list less what another one has, each as often as it is there.
func without(list, less []entry) []entry {
	if len(less) == 0 {
		return list
	}
	out := make([]entry, 0, len(list))
	for _, e := range list {
		for len(less) > 0 && less[0].compare(e) < 0 {
			less = less[1:]
		}
		if len(less) > 0 && less[0] == e {
			less = less[1:]
			continue
		}
		out = append(out, e)
	}
	return out
}

// merged is two sorted lists as one.
func merged(a, b []entry) []entry {
	if len(b) == 0 {
		return a
	}
	out := make([]entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
