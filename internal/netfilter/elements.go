package netfilter

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/packetfilter"
)

const (
	// One message may have 64 KiB of elements; a range of IPv6 takes 64 bytes.
	perMessage = 500
	// A transaction is one datagram, however long.
	maxBatch = 256 << 20
)

// elementChange adds or removes ranges of addresses of one set.
type elementChange struct {
	add    bool
	set    string
	ranges []packetfilter.Range
}

// Change adds and removes elements of the table's sets, in one transaction. The batch has
// the form of packetfilter.Delta: "add element inet gateway <set> {", then one address,
// network or range a line, then "}"; or "delete" instead of "add".
//
// The nft program would read all elements of a set in order to add one, a second for
// 100,000, so the kernel is told directly. A batch that does not fit to what the set has
// fails as a whole, and Replace puts it right.
func (t Table) Change(ctx context.Context, batch []byte) error {
	changes, err := readChanges(batch)
	if err != nil {
		return fmt.Errorf("change elements of the packet filter: %w", err)
	}
	return with(ctx, func(c *conn) error {
		_, err := t.change(c, changes)
		return err
	})
}

// change also answers which sets there are.
func (t Table) change(c *conn, changes []elementChange) (map[string]set, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	var have inventory
	err := have.readSets(c)
	if err == nil {
		err = c.changeElements(changes, have.sets)
	}
	if err != nil {
		return nil, fmt.Errorf("change elements of the packet filter: %w", err)
	}
	return have.sets, nil
}

func readChanges(batch []byte) ([]elementChange, error) {
	var changes []elementChange
	var open bool
	for line := range bytes.Lines(batch) {
		text := strings.TrimSuffix(string(line), "\n")
		switch {
		case text == "}":
			open = false
		case open:
			r, err := readRange(strings.TrimSuffix(text, ","))
			if err != nil {
				return nil, err
			}
			last := &changes[len(changes)-1]
			last.ranges = append(last.ranges, r)
		default:
			c, err := readHead(text)
			if err != nil {
				return nil, err
			}
			changes, open = append(changes, c), true
		}
	}
	return changes, nil
}

func readHead(text string) (elementChange, error) {
	verb, rest, _ := strings.Cut(text, " element inet "+tableName+" ")
	set, ok := strings.CutSuffix(rest, " {")
	if !ok || (verb != "add" && verb != "delete") {
		return elementChange{}, fmt.Errorf("%q is not a change of elements", text)
	}
	return elementChange{add: verb == "add", set: set}, nil
}

func readRange(text string) (packetfilter.Range, error) {
	if from, to, ok := strings.Cut(text, "-"); ok {
		a, errA := netip.ParseAddr(from)
		b, errB := netip.ParseAddr(to)
		if errA != nil || errB != nil || a.BitLen() != b.BitLen() || b.Less(a) {
			return packetfilter.Range{}, fmt.Errorf("%q is not a range of addresses", text)
		}
		return packetfilter.Range{From: a, To: b}, nil
	}
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() {
			return packetfilter.Range{}, fmt.Errorf("%q is not a network", text)
		}
		return packetfilter.RangeOf(p), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return packetfilter.Range{}, fmt.Errorf("%q is not an address", text)
	}
	return packetfilter.Range{From: a, To: a}, nil
}

// changeElements sends all changes as one transaction and waits for its end.
func (c *conn) changeElements(changes []elementChange, sets map[string]set) error {
	batch, err := c.elementBatch(changes, sets)
	if err != nil {
		return err
	}
	if err := c.set(unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, min(2*len(batch)+1<<20, maxBatch)); err != nil {
		return err
	}
	if err := c.send(batch); err != nil {
		return err
	}
	// The kernel answers errors where they are and the last message in any case, all of it
	// after the transaction has ended.
	return c.answers(func([]byte) error { return nil })
}

// elementBatch numbers all messages alike, so that an error of any of them is the answer.
func (c *conn) elementBatch(changes []elementChange, sets map[string]set) ([]byte, error) {
	c.seq++
	frame := func(kind uint16) []byte {
		return request(kind, 0, c.seq, unix.AF_UNSPEC, unix.NFNL_SUBSYS_NFTABLES, nil)
	}
	batch := frame(unix.NFNL_MSG_BATCH_BEGIN)
	for i, change := range changes {
		s, ok := sets[change.set]
		if !ok || s.isMap() {
			return nil, fmt.Errorf("the table has no set %s", change.set)
		}
		for rest := change.ranges; len(rest) > 0; {
			n := min(perMessage, len(rest))
			last := i == len(changes)-1 && n == len(rest)
			message, err := c.elementMessage(change, s, rest[:n], last)
			if err != nil {
				return nil, err
			}
			batch, rest = append(batch, message...), rest[n:]
		}
	}
	return append(batch, frame(unix.NFNL_MSG_BATCH_END)...), nil
}

func (c *conn) elementMessage(change elementChange, s set, ranges []packetfilter.Range, last bool) ([]byte, error) {
	var list []byte
	for _, r := range ranges {
		if uint32(r.From.BitLen()/8) != s.keyLength || (!s.isInterval() && r.From != r.To) {
			return nil, fmt.Errorf("set %s has no place for %s-%s", change.set, r.From, r.To)
		}
		list = appendElements(list, s, r)
	}
	b := name(nil, unix.NFTA_SET_ELEM_LIST_TABLE, tableName)
	b = name(b, unix.NFTA_SET_ELEM_LIST_SET, change.set)
	b = attribute(b, nested|unix.NFTA_SET_ELEM_LIST_ELEMENTS, list)
	kind, flags := uint16(unix.NFT_MSG_DELSETELEM), uint16(0)
	if change.add {
		kind, flags = unix.NFT_MSG_NEWSETELEM, unix.NLM_F_CREATE|unix.NLM_F_EXCL
	}
	if last {
		flags |= unix.NLM_F_ACK
	}
	return request(nftables|kind, flags, c.seq, unix.NFPROTO_INET, 0, b), nil
}

// appendElements appends what stands for a range: where it begins and, in a set of
// intervals, the first address behind it.
func appendElements(list []byte, s set, r packetfilter.Range) []byte {
	list = appendElement(list, r.From, 0)
	if !s.isInterval() {
		return list
	}
	if end := r.To.Next(); end.IsValid() {
		list = appendElement(list, end, unix.NFT_SET_ELEM_INTERVAL_END)
	}
	return list
}

func appendElement(list []byte, key netip.Addr, flags uint32) []byte {
	value := attribute(nil, unix.NFTA_DATA_VALUE, key.AsSlice())
	element := attribute(nil, nested|unix.NFTA_SET_ELEM_KEY, value)
	if flags != 0 {
		element = number(element, unix.NFTA_SET_ELEM_FLAGS, flags)
	}
	return attribute(list, nested|unix.NFTA_LIST_ELEM, element)
}
