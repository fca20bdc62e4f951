package graphs

import (
	"context"
	"maps"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/fault"
	"gateway/internal/series"
)

// Graphs are some series over the same time.
type Graphs struct {
	Since  time.Time `json:"since" doc:"When the first step begins"`
	Step   int       `json:"step_seconds" doc:"Length of a step"`
	Series []Line    `json:"series" doc:"The series that were asked for, in that order; one that there is not has no values"`
}

// Line is one series.
type Line struct {
	Name string     `json:"name" doc:"Name of the series"`
	Unit string     `json:"unit" enum:"percent,bytes,bytes_per_second,packets_per_second,per_second,seconds,count" doc:"What it is counted in"`
	Min  []*float32 `json:"min" doc:"The least value of each step; null for a step of which nothing is known"`
	Avg  []*float32 `json:"avg" doc:"The mean of each step"`
	Max  []*float32 `json:"max" doc:"The greatest value of each step"`
}

type readInput struct {
	Series []string  `query:"series" required:"true" minItems:"1" maxItems:"20" doc:"Names, separated by commas"`
	Since  time.Time `query:"since" doc:"Beginning; an hour before the end if left out"`
	Until  time.Time `query:"until" doc:"End; now if left out"`
	Points int       `query:"points" default:"600" minimum:"10" maximum:"2000" doc:"At most so many steps"`
}

// longest is how far a question may reach: what is kept, and a little.
const longest = 400 * 24 * time.Hour

func (h *handlers) read(_ context.Context, in *readInput) (*api.Body[Graphs], error) {
	now := h.Now()
	if in.Until.IsZero() || in.Until.After(now) {
		in.Until = now
	}
	if in.Since.IsZero() {
		in.Since = in.Until.Add(-time.Hour)
	}
	switch {
	case !in.Since.Before(in.Until):
		return nil, fault.At("since", "must be before until, and not in the future")
	case in.Until.Sub(in.Since) > longest:
		return nil, fault.At("since", "is too long ago: samples are kept for a year")
	}
	found, err := series.Read(h.Dir, now, series.Query{Names: in.Series, From: in.Since, To: in.Until, Points: in.Points})
	if err != nil {
		return nil, err
	}
	out := Graphs{Since: found.From.UTC(), Step: int(found.Step / time.Second), Series: []Line{}}
	for _, name := range in.Series {
		out.Series = append(out.Series, newLine(name, h.unitOf(name), found.Series[name]))
	}
	return api.OK(out), nil
}

func newLine(name, unit string, points []series.Point) Line {
	l := Line{Name: name, Unit: unit, Min: []*float32{}, Avg: []*float32{}, Max: []*float32{}}
	for i := range points {
		p := &points[i]
		if !p.Known() {
			l.Min, l.Avg, l.Max = append(l.Min, nil), append(l.Avg, nil), append(l.Max, nil)
			continue
		}
		l.Min, l.Avg, l.Max = append(l.Min, &p.Min), append(l.Avg, &p.Avg), append(l.Max, &p.Max)
	}
	return l
}

// unitOf is what a series is counted in; one that no component has any more is just counted.
func (h *handlers) unitOf(name string) string {
	for _, k := range h.kinds() {
		if k.Matches(name) {
			return string(k.Unit)
		}
	}
	return string(component.Count)
}

func sorted(names map[string]time.Time) []string { return slices.Sorted(maps.Keys(names)) }
