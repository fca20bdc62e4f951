package component

import (
	"context"
	"strings"
)

// Values are what is measured in an area: gateway-scheduler keeps it over time for the graphs, and
// gateway-api tells it to Prometheus.
type Values struct {
	// Kinds are all that it can read, so that what there is can be known without reading it.
	Kinds []Value
	// Read looks, with the database or without. What cannot be read is left out, and never 0: it
	// becomes a gap. With an error, the rest still holds.
	Read func(ctx context.Context) ([]Reading, error)
}

// Value is a kind of figure that there is once, or once for each of several things.
type Value struct {
	// Name is that of its series, "dns.queries"; of several things, with a star for the name of
	// each, "interface.*.received".
	Name string
	// Unit is what the graphs show it in.
	Unit Unit
	// Counter says that it only ever counts up. The graphs show how fast.
	Counter bool
	// Scale is what the graphs multiply it by, where that is not 1: a share becomes percent.
	Scale float64
	// Metric is its name for Prometheus, Label what the star is called there, and Help what it means.
	Metric, Label, Help string
}

// Unit is what a series is counted in.
type Unit string

// The units, as the API has them.
const (
	Percent          Unit = "percent"
	Bytes            Unit = "bytes"
	BytesPerSecond   Unit = "bytes_per_second"
	PacketsPerSecond Unit = "packets_per_second"
	PerSecond        Unit = "per_second"
	Seconds          Unit = "seconds"
	Count            Unit = "count"
)

// Reading is a value at one moment.
type Reading struct {
	Value
	Of string  // the thing it is of; empty where there is no star
	Is float64 // a counter as it counts
	// Run tells counters of the same name apart: one of another run began anew.
	Run string
}

// Is is a reading of a value that there is once.
func (v Value) Is(n float64) Reading { return Reading{Value: v, Is: n} }

// Of is the reading of one thing.
func (v Value) Of(thing string, n float64) Reading { return Reading{Value: v, Of: thing, Is: n} }

// Series is the name of its series.
func (r Reading) Series() string { return strings.Replace(r.Name, "*", r.Of, 1) }

// Matches says whether a series is of this kind. The name of a thing may have dots.
func (v Value) Matches(series string) bool {
	before, after, several := strings.Cut(v.Name, "*")
	if !several {
		return series == v.Name
	}
	return len(series) > len(before)+len(after) && strings.HasPrefix(series, before) && strings.HasSuffix(series, after)
}
