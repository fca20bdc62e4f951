package db

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"time"
)

// lastTick is the time of the last id: milliseconds, and twelve bits that count within one.
// It belongs to the process, because the order of ids does.
var lastTick atomic.Uint64

// NewID makes a UUIDv7: unique without a sequence (replication has none), and ordered: of
// two that a process makes, the later one sorts behind the earlier. Rules of one batch that
// have the same priority stay in their order by that.
func NewID() string {
	var b [16]byte
	tick := nextTick(uint64(time.Now().UnixMilli()))
	binary.BigEndian.PutUint64(b[:8], tick>>12<<16|tick&0xfff)
	_, _ = rand.Read(b[8:]) // crypto/rand never fails on Linux
	b[6] |= 0x70
	b[8] = b[8]&0x3f | 0x80
	return formatID(b)
}

func nextTick(millis uint64) uint64 {
	for {
		last := lastTick.Load()
		if next := max(millis<<12, last+1); lastTick.CompareAndSwap(last, next) {
			return next
		}
	}
}

func formatID(b [16]byte) string {
	var s [36]byte
	hex.Encode(s[0:8], b[0:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:36], b[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// CheckID refuses what is spelled otherwise. Renderers ask it of every id that reaches a file
// or the name of one: that a column is a uuid holds only as long as the table is ours.
func CheckID(s string) error {
	if !ValidID(s) {
		return fmt.Errorf("%q is not a valid id", s)
	}
	return nil
}

// ValidID reports whether s is spelled as NewID spells it. Ids are opaque to
// callers, so any other spelling names nothing rather than being a mistake.
func ValidID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hexDigit := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if dash != (c == '-') || !dash && !hexDigit {
			return false
		}
	}
	return true
}
