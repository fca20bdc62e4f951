package squid

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/namelist"
)

// List is a list of host names that rules name. Its names are not in Squid's file, which would
// refuse connections for seconds whenever it is read, but in files of their own.
type List struct {
	Name  string   `db:"name"`
	Parts []string `db:"parts"` // their hashes; none for a list without names
	// names are the parts that were read, by their hash; whole says that they were to be all of them.
	names map[string][]byte
	whole bool
	// lost says that not even the hashes can be read. It has no files then, as if each part was missing.
	lost bool
}

// hashForm is namelist.Hash's.
var hashForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (l List) valid() error {
	if !namelist.IsName(l.Name) {
		var p fault.Problems
		p.AddError("name", notAListName())
		return p.Err()
	}
	bad := func(hash string) bool { return !hashForm.MatchString(hash) }
	if n := len(l.Parts); n&(n-1) != 0 || slices.ContainsFunc(l.Parts, bad) {
		return fault.At("names", "cannot be read; set them again")
	}
	return nil
}

// lacks reports whether a part was not found. It has no file then, and our program has Squid deny
// what such a list decides: nobody knows what is in it.
func (l List) lacks(hash string) bool { return l.whole && hash != "" && l.names[hash] == nil }

// files are the parts. Of names that were not read there is the hash instead: such files are shown
// and judged, and not installed.
func (l List) files() (out []daemon.File) {
	if l.lost {
		return nil
	}
	for i, hash := range l.hashes() {
		if l.lacks(hash) {
			continue
		}
		data := l.names[hash]
		if data == nil && hash != "" {
			data = []byte("# " + hash + "\n")
		}
		out = append(out, daemon.File{Path: ListsFolder + "/" + namelist.File(l.Name, max(1, len(l.Parts)), i), Mode: 0o644, Data: data, Long: true})
	}
	return out
}

// hashes are those of the parts; a list without names has one part without any.
func (l List) hashes() []string {
	if len(l.Parts) == 0 {
		return []string{""}
	}
	return l.Parts
}

// contains reports whether a host, or a name above it, is in the list, as far as it was read.
func (l List) contains(host string) bool {
	for name := range above(host) {
		part := l.names[l.partOf(name)]
		if bytes.HasPrefix(part, []byte(name+"\n")) || bytes.Contains(part, []byte("\n"+name+"\n")) {
			return true
		}
	}
	return false
}

func (l List) partOf(name string) string {
	hashes := l.hashes()
	return hashes[namelist.PartOf(name, len(hashes))]
}

// above is a name and those that it is below.
func above(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for found := true; found && name != "" && yield(name); {
			_, name, found = strings.Cut(name, ".")
		}
	}
}

// WithNames is the state with what Explain must know of lists for a request.
func (s State) WithNames(ctx context.Context, q db.DB, r Request) (State, error) {
	t, err := readTarget(r.Method, r.URL)
	if err != nil {
		return s, err
	}
	s.Lists = slices.Clone(s.Lists)
	for i, l := range s.Lists {
		if l.valid() != nil || !slices.ContainsFunc(s.Rules, func(r StoredRule) bool { return r.Type == byList && r.Value == l.Name }) {
			continue
		}
		var wanted []string
		for name := range above(t.host) {
			wanted = append(wanted, l.partOf(name))
		}
		if s.Lists[i].names, err = readParts(ctx, q, wanted); err != nil {
			return s, err
		}
	}
	return s, nil
}

// WithAllNames is the state with the names of all lists. have are parts that were read before: of a
// million names mostly one is another. It returns those that there are now.
func (s State) WithAllNames(ctx context.Context, q db.DB, have map[string][]byte) (State, map[string][]byte, error) {
	now := map[string][]byte{}
	var missing []string
	for _, l := range s.Lists {
		for _, hash := range l.Parts {
			if data := have[hash]; data != nil {
				now[hash] = data
			} else {
				missing = append(missing, hash)
			}
		}
	}
	more, err := readParts(ctx, q, missing)
	if err != nil {
		return s, have, err
	}
	maps.Copy(now, more)
	s.Lists = slices.Clone(s.Lists)
	for i := range s.Lists {
		s.Lists[i].names, s.Lists[i].whole = now, true
	}
	return s, now, nil
}

func readParts(ctx context.Context, q db.DB, hashes []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	if len(hashes) == 0 {
		return out, nil
	}
	rows, err := db.List[struct {
		Hash  string
		Names []byte
	}](ctx, q, `select hash, names from forwardproxy_list_parts where hash = any($1)`, hashes)
	if err != nil {
		return nil, fmt.Errorf("read the names of lists: %w", err)
	}
	for _, r := range rows {
		if namelist.Hash(r.Names) == r.Hash { // else somebody wrote past the API, who knows what
			out[r.Hash] = r.Names
		}
	}
	return out, nil
}

// lists has Squid ask our program about lists. It keeps no answer beyond the second, so that a name
// more is known at once. One process answers all: it has the names in memory, and takes some
// millionths of a second each.
func (w *writer) lists(c compiled) {
	if !slices.ContainsFunc(c.groups, func(g group) bool { return g.kind == byList }) {
		return
	}
	w.line("external_acl_type", "lists", "ttl=0", "negative_ttl=0", "children-max=1", "children-startup=1", "children-idle=1",
		"concurrency=10000", "queue-size=20000", "%DST", namelist.Program, ListsFolder)
}
