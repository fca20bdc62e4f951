package netfilter

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// Count is what a named counter has seen.
type Count struct{ Packets, Bytes uint64 }

// Counters are the table's named counters by name; none when the table is not loaded.
func (t Table) Counters() (map[string]Count, error) {
	var counts map[string]Count
	err := with(context.Background(), func(c *conn) error {
		asked := number(name(nil, unix.NFTA_OBJ_TABLE, tableName), unix.NFTA_OBJ_TYPE, unix.NFT_OBJECT_COUNTER)
		return c.dump(nftables|unix.NFT_MSG_GETOBJ, unix.NFPROTO_INET, asked,
			func() { counts = make(map[string]Count, len(counts)) },
			func(b []byte) error {
				name, n := readCounter(b)
				counts[name] = n
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("read the packet filter's counters: %w", err)
	}
	return counts, nil
}

// Counter is one named counter. One that is not there is an error: nobody knows what it would have seen.
func (t Table) Counter(ctx context.Context, counter string) (n Count, err error) {
	err = with(ctx, func(c *conn) error {
		asked := name(name(nil, unix.NFTA_OBJ_TABLE, tableName), unix.NFTA_OBJ_NAME, counter)
		return c.get(nftables|unix.NFT_MSG_GETOBJ, unix.NFPROTO_INET, number(asked, unix.NFTA_OBJ_TYPE, unix.NFT_OBJECT_COUNTER), func(b []byte) error {
			_, n = readCounter(b)
			return nil
		})
	})
	if err != nil {
		return Count{}, fmt.Errorf("read the packet filter's counter %s: %w", counter, err)
	}
	return n, nil
}

func readCounter(b []byte) (name string, n Count) {
	for kind, v := range attributes(b) {
		switch kind {
		case unix.NFTA_OBJ_NAME:
			name = text(v)
		case unix.NFTA_OBJ_DATA:
			n = readCount(v)
		}
	}
	return name, n
}

func readCount(b []byte) (n Count) {
	for kind, v := range attributes(b) {
		switch kind {
		case unix.NFTA_COUNTER_PACKETS:
			n.Packets = u64(v)
		case unix.NFTA_COUNTER_BYTES:
			n.Bytes = u64(v)
		}
	}
	return n
}
