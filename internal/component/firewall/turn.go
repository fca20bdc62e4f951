package firewall

import (
	"net/netip"
	"slices"

	"gateway/internal/packetfilter"
)

// edit is what comes into a group and what goes out of it.
type edit struct{ come, gone []entry }

// turn brings the book to what a page says. back undoes it.
func (b *book) turn(p *page) (back func()) {
	t := &turning{book: b, edits: map[id]*edit{}}
	for _, key := range p.touched {
		t.member(key, p)
	}
	for _, key := range p.touched {
		t.object(key, p)
	}
	for key, e := range t.edits {
		put(t, b.groups, key, b.groups[key].with(e))
	}
	return func() {
		for _, undo := range slices.Backward(t.undo) {
			undo()
		}
	}
}

type turning struct {
	*book
	edits map[id]*edit
	undo  []func()
}

// put sets a value of a map, or takes it out when it is the zero one.
func put[V comparable](t *turning, m map[id]V, key id, now V) {
	var none V
	was, had := m[key]
	t.undo = append(t.undo, func() {
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
func (t *turning) member(key id, p *page) {
	was, is := t.members[key], p.members[key]
	if was == is {
		return
	}
	put(t, t.members, key, is)
	if o := t.objects[was.object]; o != nil {
		t.leave(was.group, was.object, o)
		put(t, t.objects, was.object, o.in(slices.DeleteFunc(slices.Clone(o.groups), func(g id) bool { return g == was.group })))
	}
	if is == (membership{}) {
		return
	}
	o := t.objects[is.object]
	if o == nil { // it is new as well; its addresses come with it
		o = &named{}
	}
	t.enter(is.group, is.object, o)
	put(t, t.objects, is.object, o.in(append(slices.Clone(o.groups), is.group)))
}

// object follows what an object is, in all groups that it is in.
func (t *turning) object(key id, p *page) {
	was, is := t.objects[key], p.objects[key]
	if was == nil && is == nil {
		return
	}
	t.note(key, is)
	if is == nil {
		for _, g := range was.groups {
			t.leave(g, key, was)
		}
		put(t, t.objects, key, nil)
		return
	}
	if was == nil {
		was = &named{}
	}
	for _, g := range was.groups {
		t.leave(g, key, was)
		t.enter(g, key, is)
	}
	put(t, t.objects, key, is.in(was.groups))
}

// note keeps account of what cannot be read.
func (t *turning) note(key id, o *named) {
	if o == nil || o.broken == "" {
		o = nil
	}
	if o != t.broken[key] {
		put(t, t.broken, key, o)
	}
}

// in is the object with other groups that it is in.
func (o *named) in(groups []id) *named {
	changed := *o
	changed.groups = groups
	return &changed
}

func (t *turning) edit(group id) *edit {
	if t.edits[group] == nil {
		t.edits[group] = &edit{}
	}
	return t.edits[group]
}

func (t *turning) leave(group, object id, o *named) {
	e := t.edit(group)
	for _, r := range o.ranges {
		e.gone = append(e.gone, entry{r, object})
	}
}

func (t *turning) enter(group, object id, o *named) {
	e := t.edit(group)
	for _, r := range o.ranges {
		e.come = append(e.come, entry{r, object})
	}
}

// with is the group after an edit. What came and went within it is no change.
func (g *group) with(e *edit) *group {
	slices.SortFunc(e.come, entry.compare)
	slices.SortFunc(e.gone, entry.compare)
	come, gone := without(e.come, e.gone), without(e.gone, e.come)
	if g == nil {
		g = &group{set: &packetfilter.Addresses{}}
	} else if len(come)+len(gone) == 0 {
		return g
	}
	if len(come)+len(gone) > fewEdits {
		list := merged(without(g.entries, gone), come)
		return &group{list, union(list)}
	}
	return g.spliced(come, gone)
}

// fewEdits is up to how many of them it is cheaper to look at what lies around each.
const fewEdits = 16

// spliced is the group after few edits: the rest of a hundred thousand is only copied.
func (g *group) spliced(come, gone []entry) *group {
	now := &group{entries: append(make([]entry, 0, len(g.entries)+len(come)), g.entries...)}
	for _, e := range gone {
		if i, found := slices.BinarySearchFunc(now.entries, e, entry.compare); found {
			now.entries = slices.Delete(now.entries, i, i+1)
		}
	}
	for _, e := range come {
		i, _ := slices.BinarySearchFunc(now.entries, e, entry.compare)
		now.entries = slices.Insert(now.entries, i, e)
	}
	at := union(slices.Concat(gone, come))
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
