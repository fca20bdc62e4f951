package backup

import (
	"slices"
	"testing"
	"time"
)

func TestTheNewestOfEachDayIsKeptBesideTheNewest(t *testing.T) {
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	ago := func(hours ...int) (all []time.Time) {
		for _, h := range hours {
			all = append(all, now.Add(-time.Duration(h)*time.Hour))
		}
		return all
	}
	for name, c := range map[string]struct {
		made []time.Time
		keep int
		want []int
	}{
		"none":                       {nil, 3, nil},
		"as many as are kept":        {ago(0, 24, 48), 3, nil},
		"one a day":                  {ago(0, 24, 48, 72), 3, []int{3}},
		"many of today":              {ago(0, 1, 2, 3, 4, 24, 48, 72), 3, []int{7, 4, 3}},
		"in any order":               {ago(72, 48, 24, 4, 3, 2, 1, 0), 3, []int{0, 3, 4}},
		"two a day":                  {ago(0, 1, 24, 25, 48, 49), 2, []int{5, 4, 3}},
		"one is kept":                {ago(0, 1, 24), 1, []int{2, 1}},
		"days without any":           {ago(0, 24*30, 24*60, 24*90), 3, []int{3}},
		"the future counts for none": {ago(-24*365, -24*366, -24*367, 0, 24), 2, nil},
	} {
		if got := Surplus(c.made, c.keep, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: removes %v, want %v", name, got, c.want)
		}
	}
}

func TestHowManyAreKeptIsBounded(t *testing.T) {
	now := time.Date(2026, 11, 18, 23, 0, 0, 0, time.UTC)
	var made []time.Time
	for h := range 24 * 40 {
		made = append(made, now.Add(-time.Duration(h)*time.Hour))
	}
	for _, keep := range []int{1, 2, 14} {
		if left := len(made) - len(Surplus(made, keep, now)); left != MostKept(keep) {
			t.Errorf("of %d kept, %d are left, want %d", keep, left, MostKept(keep))
		}
	}
}
