package packetfilter

import (
	"bytes"
	"net/netip"

	"gateway/internal/longtext"
)

// setText is what Text.Elements has of one set.
type setText struct {
	name  []byte
	lines []byte // one element each, ascending
}

// Delta is the commands that turn the elements of one Text into those of another, empty
// when they are equal. It is not ok when they are not about the same sets: then there is
// another structure, and all of it has to be loaded.
func Delta(was, now []byte) (batch []byte, ok bool) {
	for len(was) > 0 || len(now) > 0 {
		var a, b setText
		var okA, okB bool
		a, was, okA = nextSet(was)
		b, now, okB = nextSet(now)
		if !okA || !okB || !bytes.Equal(a.name, b.name) {
			return nil, false
		}
		removed, added := changed(a.lines, b.lines)
		// What goes is removed first: what comes may overlap with it.
		batch = appendCommand(batch, "delete", a.name, removed)
		batch = appendCommand(batch, "add", a.name, added)
	}
	return batch, true
}

func appendCommand(b []byte, verb string, set, lines []byte) []byte {
	if len(lines) == 0 {
		return b
	}
	b = append(append(b, verb...), " element inet gateway "...)
	b = append(append(b, set...), " {\n"...)
	return append(append(b, lines...), "}\n"...)
}

// nextSet cuts the first set off a text that appendSet wrote.
func nextSet(text []byte) (s setText, rest []byte, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("flush set inet gateway "))
	if !ok {
		return s, nil, false
	}
	s.name, text, ok = bytes.Cut(text, []byte("\n"))
	if !ok || !bytes.HasPrefix(text, []byte("add ")) {
		return s, text, ok
	}
	_, text, _ = bytes.Cut(text, []byte("{\n"))
	s.lines, rest, ok = bytes.Cut(text, []byte("}\n"))
	return s, rest, ok && bytes.HasSuffix(s.lines, []byte("\n"))
}

// changed is the lines that only one of two ascending lists has.
func changed(was, now []byte) (removed, added []byte) {
	// Nearly all lines are alike when a member of a large group changed.
	from, endWas, endNow := longtext.Differing(was, now)
	was, now = was[from:endWas], now[from:endNow]
	for len(was) > 0 && len(now) > 0 {
		a, b := firstLine(was), firstLine(now)
		order := 0
		if !bytes.Equal(a, b) {
			order = begin(a).Compare(begin(b))
			if order == 0 {
				order = -1 // the same address begins another range, which comes next
			}
		}
		switch {
		case order < 0:
			removed, was = append(removed, a...), was[len(a):]
		case order > 0:
			added, now = append(added, b...), now[len(b):]
		default:
			was, now = was[len(a):], now[len(b):]
		}
	}
	return append(removed, was...), append(added, now...)
}

func firstLine(text []byte) []byte {
	return text[:bytes.IndexByte(text, '\n')+1]
}

// begin is the address that a line begins with.
func begin(line []byte) netip.Addr {
	end := bytes.IndexAny(line, "/-,")
	addr, _ := netip.ParseAddr(string(line[:max(end, 0)]))
	return addr
}
