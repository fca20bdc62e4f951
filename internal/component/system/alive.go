package system

import "time"

// schedulerService gives a sign of life every second.
const schedulerService = "scheduler"

const (
	// lateAfter is three times as long as gateway-scheduler takes from one sign of life to the next.
	lateAfter = 3 * time.Second
	// silentAfter is for one that has just started: until then nobody can say whether it hangs.
	silentAfter = 10 * time.Second
)

// late reports that a service owes a sign of life.
func (s Service) late() bool { return s.ActiveState == "active" && s.quiet >= lateAfter }

// silent reports that it hangs.
func (h *handlers) silent(s Service) bool {
	switch {
	case !s.late():
		return false
	case s.quiet >= silentAfter:
		return true
	}
	started := s.EnteredAt != nil && h.Now().Sub(*s.EnteredAt) < silentAfter
	return !started
}
