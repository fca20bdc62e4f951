package netfilter

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const nftables = unix.NFNL_SUBSYS_NFTABLES << 8

// inventory is what the table has in the kernel, by name.
type inventory struct {
	chains   map[string]bool // true for a base chain, which hangs on a hook
	sets     map[string]set  // and maps, but none that is part of a rule
	counters []string
}

type set struct {
	flags     uint32
	keyLength uint32
}

func (s set) isMap() bool      { return s.flags&(unix.NFT_SET_MAP|unix.NFT_SET_OBJECT) != 0 }
func (s set) isInterval() bool { return s.flags&unix.NFT_SET_INTERVAL != 0 }

// Loaded reports whether the kernel has the table, with or without rules in it.
func (t Table) Loaded(ctx context.Context) (bool, error) {
	err := with(ctx, func(c *conn) error {
		return c.do(nftables|unix.NFT_MSG_GETTABLE, 0, unix.NFPROTO_INET, 0, name(nil, unix.NFTA_TABLE_NAME, tableName))
	})
	if errors.Is(err, unix.ENOENT) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the packet filter's table: %w", err)
	}
	return true, nil
}

func (t Table) inventory(ctx context.Context) (inventory, error) {
	var i inventory
	err := with(ctx, func(c *conn) error { return errors.Join(i.readChains(c), i.readSets(c), i.readCounters(c)) })
	if err != nil {
		return i, fmt.Errorf("list what the packet filter's table has: %w", err)
	}
	return i, nil
}

func (i *inventory) readChains(c *conn) error {
	begin := func() { i.chains = map[string]bool{} }
	return c.dump(nftables|unix.NFT_MSG_GETCHAIN, unix.NFPROTO_INET, nil, begin, func(b []byte) error {
		var table, chain string
		var base bool
		for kind, v := range attributes(b) {
			switch kind {
			case unix.NFTA_CHAIN_TABLE:
				table = text(v)
			case unix.NFTA_CHAIN_NAME:
				chain = text(v)
			case unix.NFTA_CHAIN_HOOK:
				base = true
			}
		}
		if table == tableName {
			i.chains[chain] = base
		}
		return nil
	})
}

func (i *inventory) readSets(c *conn) error {
	begin := func() { i.sets = map[string]set{} }
	asked := name(nil, unix.NFTA_SET_TABLE, tableName)
	err := c.dump(nftables|unix.NFT_MSG_GETSET, unix.NFPROTO_INET, asked, begin, func(b []byte) error {
		if name, s := readSet(b); s.flags&unix.NFT_SET_ANONYMOUS == 0 {
			i.sets[name] = s
		}
		return nil
	})
	// The kernel looks the table up first, unlike for chains and counters.
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

func readSet(b []byte) (name string, s set) {
	for kind, v := range attributes(b) {
		switch kind {
		case unix.NFTA_SET_NAME:
			name = text(v)
		case unix.NFTA_SET_FLAGS:
			s.flags = u32(v)
		case unix.NFTA_SET_KEY_LEN:
			s.keyLength = u32(v)
		}
	}
	return name, s
}

func (i *inventory) readCounters(c *conn) error {
	asked := number(name(nil, unix.NFTA_OBJ_TABLE, tableName), unix.NFTA_OBJ_TYPE, unix.NFT_OBJECT_COUNTER)
	begin := func() { i.counters = nil }
	return c.dump(nftables|unix.NFT_MSG_GETOBJ, unix.NFPROTO_INET, asked, begin, func(b []byte) error {
		name, _ := readCounter(b)
		i.counters = append(i.counters, name)
		return nil
	})
}
