package netfilter

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// Marker changes the table, and tells whether somebody else did. The kernel counts every
// change of every table, so only after one is the table itself looked at.
type Marker struct {
	Table Table

	mu         sync.Mutex
	generation uint32 // at which the sums were true
	sums       sums
}

// sums tell one state of the table from another. No chains is no table.
type sums struct{ chains, rules, elements uint64 }

func (s sums) String() string {
	if s.chains == 0 {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x", s.chains, s.rules, s.elements)
}

// Mark is the same as long as chains, rules and elements are, and empty while the table is not loaded.
func (m *Marker) Mark(ctx context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := with(ctx, func(c *conn) error {
		generation, err := c.generation()
		if err != nil || m.generation == generation && m.sums.chains != 0 {
			return err
		}
		m.sums, err = c.sums()
		m.generation = generation
		return err
	})
	if err != nil {
		m.sums = sums{}
		return "", fmt.Errorf("look at the packet filter's table: %w", err)
	}
	return m.sums.String(), nil
}

// Change is that of the table. What it does to the mark is worked out: reading 100,000
// elements back takes half a second.
func (m *Marker) Change(ctx context.Context, batch []byte) error {
	changes, err := readChanges(batch)
	if err != nil {
		return fmt.Errorf("change elements of the packet filter: %w", err)
	}
	if len(changes) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.sums
	m.sums = sums{} // until it is known that nobody else was at it
	return with(ctx, func(c *conn) error {
		was, err := c.generation()
		if err != nil {
			return err
		}
		sets, err := m.Table.change(c, changes)
		if err != nil {
			return err
		}
		is, err := c.generation()
		if err == nil && known.chains != 0 && was == m.generation && is == was+1 {
			m.generation, m.sums = is, known.after(changes, sets)
		}
		return err
	})
}

// after is what a change of elements makes of the sums.
func (s sums) after(changes []elementChange, sets map[string]set) sums {
	for _, change := range changes {
		for _, r := range change.ranges {
			for _, element := range attributes(appendElements(nil, sets[change.set], r)) {
				if n := elementSum(change.set, element); change.add {
					s.elements += n
				} else {
					s.elements -= n
				}
			}
		}
	}
	return s
}

// generation is the kernel's count of changes.
func (c *conn) generation() (id uint32, err error) {
	c.seq++
	if err := c.send(request(nftables|unix.NFT_MSG_GETGEN, unix.NLM_F_ACK, c.seq, unix.NFPROTO_UNSPEC, 0, nil)); err != nil {
		return 0, err
	}
	err = c.answers(func(b []byte) error {
		for kind, v := range attributes(b) {
			if kind == unix.NFTA_GEN_ID {
				id = u32(v)
			}
		}
		return nil
	})
	return id, err
}

// sums sums up the table. A rule's handle is never used twice, so it stands for the rule.
func (c *conn) sums() (s sums, err error) {
	var i inventory
	if err := errors.Join(i.readChains(c), i.readSets(c)); err != nil || len(i.chains) == 0 {
		return s, err
	}
	s.chains, err = c.sum(unix.NFT_MSG_GETCHAIN, nil, unix.NFTA_CHAIN_TABLE, unix.NFTA_CHAIN_NAME, unix.NFTA_CHAIN_HANDLE, unix.NFTA_CHAIN_POLICY)
	if err != nil {
		return s, err
	}
	s.rules, err = c.sum(unix.NFT_MSG_GETRULE, name(nil, unix.NFTA_RULE_TABLE, tableName), unix.NFTA_RULE_TABLE, unix.NFTA_RULE_CHAIN, unix.NFTA_RULE_HANDLE)
	if err != nil {
		return s, err
	}
	for set := range i.sets {
		n, err := c.sumElements(set)
		if err != nil {
			return s, err
		}
		s.elements += n
	}
	return s, nil
}

// sum adds up what some attributes of the table's things have, in whatever order they come.
// The first of the attributes is the table's name.
func (c *conn) sum(kind uint16, asked []byte, table uint16, wanted ...uint16) (total uint64, err error) {
	err = c.dump(nftables|kind, unix.NFPROTO_INET, asked, func() { total = 0 }, func(b []byte) error {
		h, ours := fnv.New64a(), false
		for kind, v := range attributes(b) {
			ours = ours || kind == table && text(v) == tableName
			if slices.Contains(wanted, kind) {
				h.Write(v)
			}
		}
		if ours {
			total += h.Sum64()
		}
		return nil
	})
	return total, err
}

func (c *conn) sumElements(set string) (total uint64, err error) {
	asked := name(name(nil, unix.NFTA_SET_ELEM_LIST_TABLE, tableName), unix.NFTA_SET_ELEM_LIST_SET, set)
	err = c.dump(nftables|unix.NFT_MSG_GETSETELEM, unix.NFPROTO_INET, asked, func() { total = 0 }, func(b []byte) error {
		for kind, v := range attributes(b) {
			if kind != unix.NFTA_SET_ELEM_LIST_ELEMENTS {
				continue
			}
			for _, element := range attributes(v) {
				total += elementSum(set, element)
			}
		}
		return nil
	})
	return total, err
}

// elementSum stands for one element, whether it was read or is about to be written.
func elementSum(set string, element []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte(set))
	for kind, v := range attributes(element) {
		h.Write([]byte{byte(kind)})
		h.Write(v)
	}
	return h.Sum64()
}
