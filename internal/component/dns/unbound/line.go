package unbound

import (
	"fmt"
	"strings"
	"sync"

	"gateway/internal/fault"

	mdns "github.com/miekg/dns"
)

// entry is one record as unbound gets it.
type entry struct {
	owner string // complete
	typ   string
	ttl   int
	rr    mdns.RR
	text  string // "www.example.com. 3600 IN A 192.0.2.1"
}

// newEntry builds a record, and sends it through the wire format and back: what is
// printed is what a DNS library makes of it, not what somebody typed.
func newEntry(owner, typ, value string, ttl int) (entry, error) {
	rr, err := parseValue(typ, value, owner)
	if err != nil {
		return entry{}, err
	}
	if name, err := complete(owner); err != nil || name != owner || ttl < 0 || OperatorValue(rr) != value {
		return entry{}, fault.Say("was not stored in canonical form")
	}
	*rr.Header() = mdns.RR_Header{Name: owner, Rrtype: mdns.StringToType[typ], Class: mdns.ClassINET, Ttl: uint32(ttl)}
	again, err := repack(rr)
	if err != nil {
		return entry{}, err
	}
	e := entry{owner: owner, typ: typ, ttl: ttl, rr: again, text: printRecord(again)}
	if e.text != printRecord(rr) {
		return entry{}, fault.Say("changes when converted to the wire format")
	}
	return e, nil
}

func printRecord(rr mdns.RR) string {
	h := rr.Header()
	return fmt.Sprintf("%s %d IN %s %s", h.Name, h.Ttl, mdns.TypeToString[h.Rrtype], fileValue(rr))
}

func repack(rr mdns.RR) (mdns.RR, error) {
	wire := make([]byte, 1<<13) // the longest is a TXT of maxText bytes
	n, err := mdns.PackRR(rr, wire, 0, nil, false)
	if err != nil {
		return nil, fmt.Errorf("cannot be encoded: %w", err)
	}
	again, _, err := mdns.UnpackRR(wire[:n], 0)
	return again, err
}

// recordLine is how a record stands in the file.
const (
	linePrefix = "\tlocal-data: \""
	lineSuffix = "\""
)

// parseLine reads a line back. Only a line that says exactly one record, in exactly the
// way we would say it, is one.
func parseLine(line string) (entry, bool) {
	text, found := strings.CutPrefix(line, linePrefix)
	if !found || !strings.HasSuffix(text, lineSuffix) {
		return entry{}, false
	}
	return parseRecord(strings.TrimSuffix(text, lineSuffix))
}

func parseRecord(text string) (entry, bool) {
	if strings.ContainsAny(text, "\"'\n\r\x00") {
		return entry{}, false
	}
	rr, err := mdns.NewRR(text)
	if err != nil || rr == nil || rr.Header().Class != mdns.ClassINET {
		return entry{}, false
	}
	e := entry{owner: rr.Header().Name, typ: mdns.TypeToString[rr.Header().Rrtype], ttl: int(rr.Header().Ttl), rr: rr, text: text}
	return e, printRecord(rr) == text
}

// lineOwner is the name in a line, without a look at the rest.
func lineOwner(line string) (string, bool) {
	text, found := strings.CutPrefix(line, linePrefix)
	owner, _, more := strings.Cut(text, " ")
	return owner, found && more
}

// memo remembers what rows became, so that only new ones are built: at ten thousand
// records building takes most of a rendering's time.
type memo struct {
	mu   sync.Mutex
	made map[row]*built
}

// row is a record as stored.
type row struct {
	FQDN, Type, Value string
	TTL               int32
}

type built struct {
	entry
	line string
	err  error
}

func build(r row) *built {
	e, err := newEntry(r.FQDN, r.Type, r.Value, int(r.TTL))
	if err != nil {
		return &built{err: err}
	}
	return &built{entry: e, line: linePrefix + e.text + lineSuffix}
}

// buildAll answers for all there is, and forgets what it was not asked for when that is
// more than what it was.
func (m *memo) buildAll(rows []row) []*built {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) > 2*len(rows)+1000 {
		kept := make(map[row]*built, len(rows))
		for _, r := range rows {
			if b, known := m.made[r]; known {
				kept[r] = b
			}
		}
		m.made = kept
	}
	return m.build(rows)
}

// size is about how many rows there are.
func (m *memo) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.made)
}

// buildSome answers for a part.
func (m *memo) buildSome(rows []row) []*built {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.build(rows)
}

func (m *memo) build(rows []row) []*built {
	out := make([]*built, len(rows))
	for i, r := range rows {
		b, known := m.made[r]
		if !known {
			b = build(r)
			m.made[r] = b
		}
		out[i] = b
	}
	return out
}
