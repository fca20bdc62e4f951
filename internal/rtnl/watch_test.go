package rtnl

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A bridge that comes up with twenty VLANs on it tells of hundreds of changes within milliseconds.
func TestChangesCloseTogetherShareOneLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, ctx, begun := 0, t.Context(), time.Now()
		lost := errors.New("lost")
		err := OnChange(ctx, func(_ context.Context, wake func()) error {
			for range 100 {
				wake()
				<-time.After(time.Millisecond)
			}
			<-time.After(2 * minInterval)
			return lost
		}, func() { looks++ })
		if looks != 2 || !errors.Is(err, lost) {
			t.Errorf("100 changes in 100 ms had %d looks and ended with %v, want 2 and %v", looks, err, lost)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it went on for %s after the watch had failed", took)
		}
	})
}
