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

// Marker tells whether somebody else touched the table. The kernel counts every change of
// every table, so only after one is the table itself looked at.
type Marker struct {
	Table Table

	mu         sync.Mutex
	generation uint32
	mark       string
}

// Mark is the same as long as chains, rules and elements are, and empty while the table is not loaded.
func (m *Marker) Mark(ctx context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := with(ctx, func(c *conn) error {
		generation, err := c.generation()
		if err != nil || m.generation == generation && m.mark != "" {
			return err
		}
		m.mark, err = c.mark()
		m.generation = generation
		return err
	})
	if err != nil {
		m.mark = ""
		return "", fmt.Errorf("look at the packet filter's table: %w", err)
	}
	return m.mark, nil
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

// mark sums up the table. A rule's handle is never used twice, so it stands for the rule.
func (c *conn) mark() (string, error) {
	var i inventory
	if err := errors.Join(i.readChains(c), i.readSets(c)); err != nil || len(i.chains) == 0 {
		return "", err
	}
	chains, err := c.sum(unix.NFT_MSG_GETCHAIN, nil, unix.NFTA_CHAIN_TABLE, unix.NFTA_CHAIN_NAME, unix.NFTA_CHAIN_HANDLE, unix.NFTA_CHAIN_POLICY)
	if err != nil {
		return "", err
	}
	rules, err := c.sum(unix.NFT_MSG_GETRULE, name(nil, unix.NFTA_RULE_TABLE, tableName), unix.NFTA_RULE_TABLE, unix.NFTA_RULE_CHAIN, unix.NFTA_RULE_HANDLE)
	if err != nil {
		return "", err
	}
	var elements uint64
	for set := range i.sets {
		n, err := c.sumElements(set)
		if err != nil {
			return "", err
		}
		elements += n
	}
	return fmt.Sprintf("%x-%x-%x", chains, rules, elements), nil
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
				h := fnv.New64a()
				h.Write([]byte(set))
				h.Write(element)
				total += h.Sum64()
			}
		}
		return nil
	})
	return total, err
}
