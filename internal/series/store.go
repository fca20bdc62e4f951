// Package series keeps samples of many values over a year in files of fixed size: rings of
// slots, one file for each step of time. PostgreSQL would write twenty times as much, and the
// graphs have to go on while it is away. One process writes; any may read at the same time.
package series

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Step is how often samples are taken.
const Step = 10 * time.Second

// syncEvery is how much a loss of power may cost. Each sync writes blocks of which most is old.
const syncEvery = time.Minute

// Store is for the one who writes.
type Store struct {
	dir string

	mu     sync.Mutex
	files  []*os.File
	names  []column
	last   time.Time // of the slot that was written last
	synced time.Time
	buf    []byte
}

// Open makes the files where there are none.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of samples: %w", err)
	}
	s := &Store{dir: dir, buf: make([]byte, tiers[1].slotSize())}
	var err error
	if s.names, err = readNames(dir); err != nil {
		s.names = nil // without names nothing can be shown of what is there
	}
	for _, t := range tiers {
		f, err := t.open(dir)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// Size is that of all files together, which never changes. The names have some kilobytes more.
func Size() (n int64) {
	for _, t := range tiers {
		n += t.size()
	}
	return n
}

// Used is what the files in a folder take; 0 where there are none yet.
func Used(dir string) (n int64, err error) {
	for _, t := range tiers {
		info, err := os.Stat(filepath.Join(dir, t.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("look at samples: %w", err)
		}
		n += info.Size()
	}
	return n, nil
}

// Close writes what is not on the disk yet.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Sync(), f.Close())
	}
	s.files = nil
	return errors.Join(errs...)
}

// Add keeps the samples of one moment. Series for which there is no place are left out, and
// their number is told.
func (s *Store) Add(at time.Time, samples map[string]float64) (left int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at = tiers[0].align(at)
	values, left, err := s.columns(at, samples)
	if err != nil {
		return left, err
	}
	if s.last.IsZero() {
		// After a start what was before is condensed too: the files have it.
		s.last = at.Add(-tiers[2].step)
	}
	if err := s.write(0, at, values); err != nil {
		return left, err
	}
	if at.After(s.last) {
		if err := s.condense(s.last, at); err != nil {
			return left, err
		}
	}
	s.last = at
	if at.Sub(s.synced) < syncEvery && !s.synced.After(at) {
		return left, nil
	}
	s.synced = at
	return left, s.sync()
}

// columns puts each sample into its place.
func (s *Store) columns(at time.Time, samples map[string]float64) (values []float32, left int, err error) {
	values = empty(tiers[0])
	changed := false
	for name, v := range samples {
		i, news := s.place(name, at)
		changed = changed || news
		if i < 0 {
			left++
			continue
		}
		values[i] = float32(v)
	}
	if changed {
		err = writeNames(s.dir, s.names)
	}
	return values, left, err
}

func empty(t tier) []float32 {
	out := make([]float32, t.values())
	for i := range out {
		out[i] = float32(math.NaN())
	}
	return out
}

func (s *Store) write(i int, at time.Time, values []float32) error {
	t := tiers[i]
	slot := s.buf[:t.slotSize()]
	encode(slot, at, values)
	if _, err := s.files[i].WriteAt(slot, t.offset(at)); err != nil {
		return fmt.Errorf("write samples: %w", err)
	}
	return nil
}

func (s *Store) sync() error {
	for _, f := range s.files {
		if err := f.Sync(); err != nil {
			return fmt.Errorf("write samples: %w", err)
		}
	}
	return nil
}

// condense writes the coarser slots that ended between two moments, each from the finer file:
// so nothing is kept in memory that a crash would lose.
func (s *Store) condense(from, to time.Time) error {
	for i := 1; i < len(tiers); i++ {
		t, finer := tiers[i], tiers[i-1]
		first := t.align(from)
		if oldest := t.align(to.Add(-finer.span())); first.Before(oldest) {
			first = oldest // the finer file has no more
		}
		for at := first; at.Before(t.align(to)); at = at.Add(t.step) {
			sum := newSpread()
			err := finer.read(s.files[i-1], at, at.Add(t.step-finer.step), func(_ time.Time, slot []byte) { sum.add(finer, slot) })
			if err != nil {
				return err
			}
			if sum.slots == 0 {
				continue
			}
			if err := s.write(i, at, sum.values()); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread is the least, the mean and the greatest of every column over some slots.
type spread struct {
	slots    int
	min, max []float32
	sum      []float64
	count    []int
}

func newSpread() *spread {
	return &spread{min: make([]float32, Columns), max: make([]float32, Columns), sum: make([]float64, Columns), count: make([]int, Columns)}
}

func (s *spread) add(t tier, slot []byte) {
	s.slots++
	for i := range Columns {
		s.addColumn(i, of(t, slot, i))
	}
}

func (s *spread) addColumn(i int, v [3]float32) {
	if math.IsNaN(float64(v[1])) {
		return
	}
	if s.count[i] == 0 || v[0] < s.min[i] {
		s.min[i] = v[0]
	}
	if s.count[i] == 0 || v[2] > s.max[i] {
		s.max[i] = v[2]
	}
	s.sum[i] += float64(v[1])
	s.count[i]++
}

// column is what a column comes to; three times nothing when there was none.
func (s *spread) column(i int) [3]float32 {
	if s.count[i] == 0 {
		nan := float32(math.NaN())
		return [3]float32{nan, nan, nan}
	}
	return [3]float32{s.min[i], float32(s.sum[i] / float64(s.count[i])), s.max[i]}
}

func (s *spread) values() []float32 {
	out := make([]float32, 3*Columns)
	for i := range Columns {
		v := s.column(i)
		copy(out[3*i:], v[:])
	}
	return out
}

// of is the least, the mean and the greatest of a column in a slot.
func of(t tier, slot []byte, column int) [3]float32 {
	if !t.spread {
		v := value(slot, column)
		return [3]float32{v, v, v}
	}
	return [3]float32{value(slot, 3*column), value(slot, 3*column+1), value(slot, 3*column+2)}
}
