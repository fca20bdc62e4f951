package api

import (
	"fmt"
	"testing"

	"gateway/internal/fault"
)

func TestStreamsLeaveRoomForOthers(t *testing.T) {
	var s streams
	for range streamsEach {
		if err := s.enter("greedy"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.enter("greedy"); !fault.Is(err, fault.TooMany) {
		t.Errorf("one more stream of an account = %v, want too many", err)
	}
	opened := streamsEach
	for i := 0; s.enter(fmt.Sprint(i)) == nil; i++ {
		opened++
	}
	if opened != maxStreams {
		t.Errorf("%d streams were opened, want %d", opened, maxStreams)
	}
	s.leave("greedy")
	if err := s.enter("another"); err != nil {
		t.Errorf("a place that was left is not given again: %v", err)
	}
}
