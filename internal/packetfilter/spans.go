package packetfilter

import "slices"

// point is something that stands in a line: an address of one family, or a flow.
type point[P any] interface {
	Compare(P) int
	Next() P
	Prev() P
}

// Span is what lies between two points, both included. Lists of spans are sorted, their
// spans apart from each other and not touching. What is said of two lists below leaps over
// what cannot matter, so that a short list against one of 100,000 costs a few steps.
type Span[P point[P]] struct{ From, To P }

// reaching is the index of the first span that ends at or after a point.
func reaching[P point[P]](list []Span[P], at P) int {
	// The first ones are looked at one by one: most lists have one span, and of two that
	// are walked together the next is mostly near.
	for i := range min(4, len(list)) {
		if list[i].To.Compare(at) >= 0 {
			return i
		}
	}
	i, _ := slices.BinarySearchFunc(list, at, func(s Span[P], at P) int { return s.To.Compare(at) })
	return i
}

// join appends a span that begins no earlier than the last one.
func join[P point[P]](list []Span[P], s Span[P]) []Span[P] {
	if len(list) == 0 {
		return append(list, s)
	}
	last := &list[len(list)-1]
	if s.From.Compare(last.To) > 0 && last.To.Next().Compare(s.From) < 0 {
		return append(list, s)
	}
	last.To = later(last.To, s.To)
	return list
}

// holds reports whether a point is in one of the spans.
func holds[P point[P]](list []Span[P], at P) bool {
	i := reaching(list, at)
	return i < len(list) && list[i].From.Compare(at) <= 0
}

// identical reports whether two lists are one: a group that several rules name is not gone through.
func identical[P point[P]](a, b []Span[P]) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// touch reports whether two lists have a point in common.
func touch[P point[P]](a, b []Span[P]) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].To.Compare(b[0].From) < 0:
			a = a[reaching(a, b[0].From):]
		case b[0].To.Compare(a[0].From) < 0:
			b = b[reaching(b, a[0].From):]
		default:
			return true
		}
	}
	return false
}

// covers reports whether every point of b is one of a.
func covers[P point[P]](a, b []Span[P]) bool {
	if identical(a, b) {
		return true
	}
	for len(b) > 0 {
		a = a[reaching(a, b[0].From):]
		if len(a) == 0 || a[0].From.Compare(b[0].From) > 0 {
			return false
		}
		last := a[0].To
		b = b[reaching(b, last):]
		if len(b) > 0 && b[0].From.Compare(last) <= 0 {
			// This one begins within a[0] and ends with it or beyond it.
			if b[0].To.Compare(last) > 0 {
				return false
			}
			b = b[1:]
		}
	}
	return true
}

// common are the points of both lists. It may share memory with either.
func common[P point[P]](a, b []Span[P]) []Span[P] {
	if covers(a, b) {
		return b
	}
	if covers(b, a) {
		return a
	}
	var both []Span[P]
	for len(a) > 0 && len(b) > 0 {
		a = a[reaching(a, b[0].From):]
		if len(a) == 0 {
			break
		}
		if s := (Span[P]{later(a[0].From, b[0].From), earlier(a[0].To, b[0].To)}); s.From.Compare(s.To) <= 0 {
			both = append(both, s)
		}
		if a[0].To.Compare(b[0].To) < 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// without are the points of a that are not in b. It may share memory with a.
func without[P point[P]](a, b []Span[P]) []Span[P] {
	if !touch(a, b) {
		return a
	}
	var left []Span[P]
	for len(a) > 0 {
		b = b[reaching(b, a[0].From):]
		if len(b) == 0 {
			return append(left, a...)
		}
		untouched := reaching(a, b[0].From)
		left, a = append(left, a[:untouched]...), a[untouched:]
		if len(a) > 0 {
			left, b = remains(left, a[0], b)
			a = a[1:]
		}
	}
	return left
}

// remains appends what is left of one span, and answers what of b may matter to the next.
func remains[P point[P]](left []Span[P], s Span[P], b []Span[P]) (parts, rest []Span[P]) {
	for ; len(b) > 0 && b[0].From.Compare(s.To) <= 0; b = b[1:] {
		if s.From.Compare(b[0].From) < 0 {
			left = append(left, Span[P]{s.From, b[0].From.Prev()})
		}
		if b[0].To.Compare(s.To) >= 0 {
			return left, b
		}
		s.From = later(s.From, b[0].To.Next())
	}
	return append(left, s), b
}

func earlier[P point[P]](a, b P) P {
	if b.Compare(a) < 0 {
		return b
	}
	return a
}

func later[P point[P]](a, b P) P {
	if b.Compare(a) > 0 {
		return b
	}
	return a
}
