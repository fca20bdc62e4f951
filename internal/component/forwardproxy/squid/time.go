package squid

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/internal/fault"
)

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} // in the order of time.Weekday

const minutesOfDay = 24 * 60

// hours are days of the week and a range of minutes in them. A range that ends before it begins
// ends on the day after.
type hours struct {
	days        [7]bool
	first, last int // minutes of the day; last does not belong to it
}

func readTime(text string) (hours, error) {
	bad := fault.Say("must be days, hours or both, such as mon-fri 08:00-18:00; days are sun mon tue wed thu fri sat")
	words := strings.Fields(strings.ToLower(text))
	h := hours{days: [7]bool{true, true, true, true, true, true, true}, last: minutesOfDay}
	if len(words) == 0 || len(words) > 2 {
		return hours{}, bad
	}
	if !strings.Contains(words[0], ":") {
		days, ok := readDays(words[0])
		if !ok {
			return hours{}, bad
		}
		h.days, words = days, words[1:]
	}
	if len(words) == 0 {
		return h, nil
	}
	first, last, _ := strings.Cut(words[0], "-")
	a, okA := readMinute(first)
	b, okB := readMinute(last)
	if len(words) > 1 || !okA || !okB || a == b || a == minutesOfDay {
		return hours{}, bad
	}
	h.first, h.last = a, b
	if b == 0 {
		h.last = minutesOfDay
	}
	return h, nil
}

func readDays(text string) (days [7]bool, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a := slices.Index(dayNames, first)
		b := a
		if isRange {
			b = slices.Index(dayNames, last)
		}
		if a < 0 || b < 0 {
			return days, false
		}
		for d := a; ; d = (d + 1) % 7 {
			days[d] = true
			if d == b {
				break
			}
		}
	}
	return days, true
}

func readMinute(text string) (int, bool) {
	hour, minute, ok := strings.Cut(text, ":")
	h, errH := strconv.ParseUint(hour, 10, 8)
	m, errM := strconv.ParseUint(minute, 10, 8)
	n := int(h)*60 + int(m)
	return n, ok && errH == nil && errM == nil && len(hour) <= 2 && len(minute) == 2 && m < 60 && n <= minutesOfDay
}

// String is the one way it is stored in.
func (h hours) String() string {
	var days []string
	for i := range 7 {
		if d := (i + 1) % 7; h.days[d] { // people begin with Monday
			days = append(days, dayNames[d])
		}
	}
	clock := fmt.Sprintf("%02d:%02d-%02d:%02d", h.first/60, h.first%60, h.last/60, h.last%60)
	switch whole := h.first == 0 && h.last == minutesOfDay; {
	case len(days) == 7:
		return clock
	case whole:
		return strings.Join(days, ",")
	}
	return strings.Join(days, ",") + " " + clock
}

// span is a range of minutes within a day, as Squid takes it: last belongs to it.
type span struct {
	days        [7]bool
	first, last int
}

// spans are the ranges, parted at midnight.
func (h hours) spans() []span {
	if h.first < h.last {
		return []span{{h.days, h.first, h.last - 1}}
	}
	var after [7]bool
	for d, on := range h.days {
		after[(d+1)%7] = on
	}
	return []span{{h.days, h.first, minutesOfDay - 1}, {after, 0, h.last - 1}}
}

func (s span) contains(at time.Time) bool {
	minute := at.Hour()*60 + at.Minute()
	return s.days[at.Weekday()] && s.first <= minute && minute <= s.last
}

func (h hours) contains(at time.Time) bool {
	return slices.ContainsFunc(h.spans(), func(s span) bool { return s.contains(at) })
}
