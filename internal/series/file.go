package series

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Columns is how many series there may be at once.
const Columns = 200

// tier is one file: a ring of slots, one for each step of time.
type tier struct {
	name  string
	step  time.Duration
	slots int
	// spread says that a slot has the least, the mean and the greatest of its time. The
	// finest has one value: it was looked at once.
	spread bool
}

// tiers are the files, the finest first: ten seconds for a day, a minute for a week, ten
// minutes for a year. Their sizes are fixed: 7, 24 and 127 MB.
var tiers = []tier{
	{name: "10s.ring", step: 10 * time.Second, slots: 24 * 360},
	{name: "1m.ring", step: time.Minute, slots: 7 * 24 * 60, spread: true},
	{name: "10m.ring", step: 10 * time.Minute, slots: 365 * 24 * 6, spread: true},
}

// A slot is its time, a checksum of all the rest, and the values of every column.
const slotHead = 8 + 4

func (t tier) values() int {
	if t.spread {
		return 3 * Columns
	}
	return Columns
}

func (t tier) slotSize() int { return slotHead + 4*t.values() }

func (t tier) size() int64 { return int64(t.slots) * int64(t.slotSize()) }

// span is how far back it goes.
func (t tier) span() time.Duration { return time.Duration(t.slots) * t.step }

// align is the beginning of the step that at lies in.
func (t tier) align(at time.Time) time.Time { return at.Truncate(t.step) }

func (t tier) offset(at time.Time) int64 {
	step := int64(t.step / time.Second)
	return at.Unix() / step % int64(t.slots) * int64(t.slotSize())
}

var table = crc32.MakeTable(crc32.Castagnoli)

// encode writes a slot into out, which has its size.
func encode(out []byte, at time.Time, values []float32) {
	binary.LittleEndian.PutUint64(out, uint64(at.Unix()))
	for i, v := range values {
		binary.LittleEndian.PutUint32(out[slotHead+4*i:], math.Float32bits(v))
	}
	binary.LittleEndian.PutUint32(out[8:], sum(out))
}

// holds says whether a slot is whole and of that time. One that is not was never written, is
// older than the ring, or was cut off by a loss of power.
func holds(slot []byte, at time.Time) bool {
	return binary.LittleEndian.Uint64(slot) == uint64(at.Unix()) && binary.LittleEndian.Uint32(slot[8:]) == sum(slot)
}

func sum(slot []byte) uint32 {
	return crc32.Update(crc32.Checksum(slot[:8], table), table, slot[slotHead:])
}

func value(slot []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(slot[slotHead+4*i:]))
}

// open makes the file of its whole size, so that a full disk is noticed now and not later.
// One of another size is of another version, and begins anew.
func (t tier) open(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, t.name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open samples: %w", err)
	}
	if err := t.fit(f); err != nil {
		return nil, errors.Join(fmt.Errorf("open samples %s: %w", t.name, err), f.Close())
	}
	return f, nil
}

func (t tier) fit(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == t.size() {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, t.size()); err == nil || !errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	return f.Truncate(t.size())
}

// read calls each for every slot of [from, to] that is whole, in the order of time.
func (t tier) read(f *os.File, from, to time.Time, each func(at time.Time, slot []byte)) error {
	const chunk = 256
	buf := make([]byte, chunk*t.slotSize())
	for at := t.align(from); !at.After(to); {
		// To the end of the ring at most: after it comes its beginning.
		first := int(t.offset(at) / int64(t.slotSize()))
		n := min(chunk, t.slots-first, int(to.Sub(at)/t.step)+1)
		part := buf[:n*t.slotSize()]
		if _, err := f.ReadAt(part, t.offset(at)); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read samples: %w", err)
		}
		for i := range n {
			if slot := part[i*t.slotSize() : (i+1)*t.slotSize()]; holds(slot, at) {
				each(at, slot)
			}
			at = at.Add(t.step)
		}
	}
	return nil
}

// openToRead opens a file that is there; nil when it is not.
func (t tier) openToRead(dir string) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, t.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was ever written
	}
	if err != nil {
		return nil, fmt.Errorf("open samples: %w", err)
	}
	return f, nil
}
