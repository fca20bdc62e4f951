package system

import "time"

// schedulerService gives a sign of life every second.
const schedulerService = "scheduler"

const (
	// lateAfter is three times as long as gateway-scheduler takes from one sign of life to the next.
	lateAfter = 3 * time.Second
	// beginsWithin is for one that has just started: until then nobody can say whether it hangs.
	beginsWithin = 5 * time.Second
)

// late reports that a service owes a sign of life.
func (s Service) late() bool { return s.ActiveState == "active" && s.quiet >= lateAfter }

// silent reports that it hangs.
func (h *handlers) silent(s Service) bool {
	started := s.EnteredAt != nil && h.Now().Sub(*s.EnteredAt) < beginsWithin
	return s.late() && !started
}
