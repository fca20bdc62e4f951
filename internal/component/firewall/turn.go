package firewall

import (
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
	var list []entry
	if g != nil {
		list = g.entries
	}
	slices.SortFunc(e.come, entry.compare)
	slices.SortFunc(e.gone, entry.compare)
	come, gone := without(e.come, e.gone), without(e.gone, e.come)
	if len(come)+len(gone) == 0 && g != nil {
		return g
	}
	list = merged(without(list, gone), come)
	ranges := make([]packetfilter.Range, len(list))
	for i, entry := range list {
		ranges[i] = entry.Range
	}
	set := packetfilter.Merge(ranges)
	return &group{list, &set}
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
