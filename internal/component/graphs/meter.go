package graphs

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gateway/internal/component"
	"gateway/internal/series"
)

// meter turns what only ever counts up into rates.
type meter struct {
	last map[string]counted
	full bool // it was told that there is no place for more
}

// counted is a counter as it was.
type counted struct {
	at  time.Time
	is  float64
	run string
}

// values are the series of a moment. A counter that was not there the last time, or began anew, has no
// rate: there is nothing to compare with.
func (m *meter) values(looks []look) map[string]float64 {
	out, now := map[string]float64{}, map[string]counted{}
	for _, l := range looks {
		anew := m.anew(l)
		for _, r := range l.readings {
			name, v, known := r.Series(), r.Is, true
			if r.Counter {
				now[name] = counted{l.at, r.Is, r.Run}
				v, known = m.rate(r, l.at)
				known = known && !anew[r.Of]
			}
			if known {
				put(out, name, v, r.Value)
			}
		}
	}
	m.last = now
	return out
}

// anew are the things some counter of which went back: then all of them began anew.
func (m *meter) anew(l look) map[string]bool {
	anew := map[string]bool{}
	for _, r := range l.readings {
		was, known := m.last[r.Series()]
		if r.Counter && known && (r.Is < was.is || r.Run != was.run) {
			anew[r.Of] = true
		}
	}
	return anew
}

func (m *meter) rate(r component.Reading, at time.Time) (float64, bool) {
	was, known := m.last[r.Series()]
	seconds := at.Sub(was.at).Seconds()
	if !known || seconds <= 0 {
		return 0, false
	}
	return (r.Is - was.is) / seconds, true
}

// put leaves out what is no number.
func put(out map[string]float64, name string, v float64, kind component.Value) {
	if kind.Scale != 0 {
		v *= kind.Scale
	}
	if kind.Unit == component.Percent {
		v = max(0, min(100, v)) // the clocks of the counter and of this process differ
	}
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		out[name] = v
	}
}

// fit keeps a place for every value that there is once: things that come and go, such as interfaces,
// share what is left. It says how many series have none.
func fit(values map[string]float64, kinds []component.Value) (left int) {
	var single, shared []string
	for _, k := range kinds {
		if !strings.Contains(k.Name, "*") {
			single = append(single, k.Name)
		}
	}
	for name := range values {
		if !slices.Contains(single, name) {
			shared = append(shared, name)
		}
	}
	places := max(0, series.Columns-len(single))
	if len(shared) <= places {
		return 0
	}
	slices.Sort(shared)
	maps.DeleteFunc(values, func(name string, _ float64) bool { return slices.Contains(shared[places:], name) })
	return len(shared) - places
}
