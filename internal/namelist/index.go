package namelist

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
)

// Index is the names of all lists, by their hashes: eight bytes a name, whatever its length. The
// hash has a key that nobody knows, so nobody can make up a name that has the hash of another.
type Index struct {
	seed maphash.Seed

	mu    sync.RWMutex
	lists map[string][]*split
}

// split is a list in len(parts) parts; a missing part is nil.
type split struct {
	parts [][]uint64
	have  int
}

// NewIndex has no lists.
func NewIndex() *Index { return &Index{seed: maphash.MakeSeed(), lists: map[string][]*split{}} }

// Verdict is whether a name is in a list.
type Verdict int

// Unknown is for lists of which parts are missing: nobody can say that the name is not in them.
const (
	No Verdict = iota
	Yes
	Unknown
)

// Put sets the names of a part, one per line; lines that begin with # are comments.
func (x *Index) Put(list string, parts, number int, text []byte) {
	hashes := make([]uint64, 0, bytes.Count(text, []byte{'\n'}))
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(line) > 0 && line[0] != '#' {
			hashes = append(hashes, maphash.Bytes(x.seed, line))
		}
	}
	slices.Sort(hashes)
	x.set(list, parts, number, hashes)
}

// Remove removes a part.
func (x *Index) Remove(list string, parts, number int) { x.set(list, parts, number, nil) }

func (x *Index) set(list string, parts, number int, hashes []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.IndexFunc(x.lists[list], func(s *split) bool { return len(s.parts) == parts })
	if i < 0 {
		i = len(x.lists[list])
		x.lists[list] = append(x.lists[list], &split{parts: make([][]uint64, parts)})
	}
	s := x.lists[list][i]
	if s.parts[number] != nil {
		s.have--
	}
	if s.parts[number] = hashes; hashes != nil {
		s.have++
	}
	if s.have == 0 {
		x.lists[list] = slices.Delete(x.lists[list], i, i+1)
	}
}

// Find reports whether a host, or a name above it, is in one of the lists. The host is in lower case.
func (x *Index) Find(host []byte, lists [][]byte) Verdict {
	x.mu.RLock()
	defer x.mu.RUnlock()
	verdict := No
	for _, list := range lists {
		whole := false
		for _, s := range x.lists[string(list)] {
			if x.in(s, host) {
				return Yes
			}
			whole = whole || s.have == len(s.parts)
		}
		if !whole {
			verdict = Unknown
		}
	}
	return verdict
}

func (x *Index) in(s *split, host []byte) bool {
	for name := host; len(name) > 0; {
		part := s.parts[PartOf(name, len(s.parts))]
		if _, found := slices.BinarySearch(part, maphash.Bytes(x.seed, name)); found {
			return true
		}
		dot := bytes.IndexByte(name, '.')
		if dot < 0 {
			return false
		}
		name = name[dot+1:]
	}
	return false
}
