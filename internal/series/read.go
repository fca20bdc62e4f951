package series

import (
	"math"
	"os"
	"slices"
	"time"
)

// Query asks for some series over a time.
type Query struct {
	Names  []string
	From   time.Time
	To     time.Time
	Points int // at most so many of each
}

// Point is what a series was over one step.
type Point struct{ Min, Avg, Max float32 }

// None is the point of a step of which nothing is known.
func None() Point { nan := float32(math.NaN()); return Point{nan, nan, nan} }

// Known says whether there is something.
func (p Point) Known() bool { return !math.IsNaN(float64(p.Avg)) }

// Result has the points of each series, one for each step from From on.
type Result struct {
	From   time.Time
	Step   time.Duration
	Series map[string][]Point
}

// Names lists the series that there are, by name, with when each was last written.
func Names(dir string) (map[string]time.Time, error) {
	names, err := readNames(dir)
	out := map[string]time.Time{}
	for _, c := range names {
		out[c.Name] = time.Unix(c.Last, 0).UTC()
	}
	return out, err
}

// Read answers a query from the files, without the one who writes them.
func Read(dir string, now time.Time, q Query) (Result, error) {
	names, err := readNames(dir)
	if err != nil {
		return Result{}, err
	}
	t := q.tier(now)
	merge := q.merge(t)
	r := Result{From: q.From.Truncate(time.Duration(merge) * t.step), Step: time.Duration(merge) * t.step, Series: map[string][]Point{}}
	var wanted []column
	for _, c := range names {
		if slices.Contains(q.Names, c.Name) {
			wanted = append(wanted, c)
		}
	}
	f, err := t.openToRead(dir)
	if err != nil || f == nil || len(wanted) == 0 {
		return r, err
	}
	defer f.Close()
	return r, r.fill(f, t, wanted, q.To)
}

// tier is the finest that goes back so far and has no more points than are wanted; the coarsest
// when all have more.
func (q Query) tier(now time.Time) tier {
	for _, t := range tiers[:len(tiers)-1] {
		if now.Sub(q.From) <= t.span() && q.To.Sub(q.From) <= time.Duration(q.Points)*t.step {
			return t
		}
	}
	return tiers[len(tiers)-1]
}

// merge is how many slots make one point.
func (q Query) merge(t tier) int {
	slots := int(q.To.Sub(q.From)/t.step) + 1
	return max(1, (slots+q.Points-1)/max(1, q.Points))
}

func (r *Result) fill(f *os.File, t tier, wanted []column, to time.Time) error {
	n := int(to.Sub(r.From)/r.Step) + 1
	for _, c := range wanted {
		r.Series[c.Name] = slices.Repeat([]Point{None()}, n)
	}
	sum, place := newSpread(), 0
	flush := func() {
		for _, c := range wanted {
			v := sum.column(c.At)
			r.Series[c.Name][place] = Point{v[0], v[1], v[2]}
		}
	}
	err := t.read(f, r.From, to, func(at time.Time, slot []byte) {
		if i := int(at.Sub(r.From) / r.Step); i != place {
			flush()
			sum, place = newSpread(), i
		}
		sum.slots++
		for _, c := range wanted {
			if at.Unix() >= c.Since {
				sum.addColumn(c.At, of(t, slot, c.At))
			}
		}
	})
	if sum.slots > 0 {
		flush()
	}
	return err
}
