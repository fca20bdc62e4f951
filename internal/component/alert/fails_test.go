package alert

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

const ofAChannel = "problem.alert.channel_fails"

// told are the events of a kind that a receiver was sent, by state and subject.
func (h *hooks) told(kind string) (out []string) {
	for _, one := range h.got() {
		if one.body["kind"] == kind {
			out = append(out, one.body["state"].(string)+" "+one.body["subject"].(string)) //nolint:forcetypeassert // a panic is a failure too
		}
	}
	return out
}

// That a channel fails is told to the others, once, and so is that it works again; never to itself.
func TestThatAChannelFailsIsToldToTheOthers(t *testing.T) {
	r := newRig(t)
	deaf, other, quiet := newHooks(t), newHooks(t), newHooks(t)
	var works atomic.Bool
	deaf.answer = func(int) int {
		if works.Load() {
			return http.StatusOK
		}
		return http.StatusInternalServerError
	}
	r.hook(deaf, body{"name": "deaf"})
	r.hook(other, body{"name": "other"})
	r.hook(quiet, body{"name": "quiet", "min_severity": "critical"})
	r.last(down("shop"))
	look := func(d time.Duration) {
		for range 5 {
			r.pass(d / 5)
			r.deliver()
			r.see(down("shop"))
		}
	}
	look(failsAfter / 2)
	if got := other.told(ofAChannel); len(got) != 0 {
		t.Errorf("told %q of a receiver that may be starting anew", got)
	}
	look(failsAfter)
	look(time.Hour)
	if got, want := other.told(ofAChannel), []string{"firing deaf"}; !slices.Equal(got, want) {
		t.Errorf("the other channel was told %q, want %q", got, want)
	}
	works.Store(true)
	look(time.Hour)
	look(usualHold)
	if got, want := other.told(ofAChannel), []string{"firing deaf", "resolved deaf"}; !slices.Equal(got, want) {
		t.Errorf("the other channel was told %q, want %q", got, want)
	}
	if got := append(deaf.told(ofAChannel), quiet.told(ofAChannel)...); len(got) != 0 {
		t.Errorf("told %q to the channel itself, or to one that does not want it", got)
	}
	var kinds []Kind
	r.Do("GET", "/alerts/kinds", nil).Want(http.StatusOK).Into(&kinds)
	if !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Kind == ofAChannel }) {
		t.Errorf("%s is not among the kinds", ofAChannel)
	}
}

// Two that fail are told of to each other once: that nothing arrives makes no more events.
func TestChannelsThatAllFailMakeNoLoop(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"one", "two"} {
		deaf := newHooks(t)
		deaf.answer = func(int) int { return http.StatusInternalServerError }
		r.hook(deaf, body{"name": name})
	}
	r.last(down("shop"))
	for range 60 {
		r.pass(time.Minute)
		r.deliver()
		r.see(down("shop"))
	}
	of := map[string]int{}
	for _, e := range r.events() {
		of[e.Kind+" "+e.Subject]++
		for _, s := range e.SentTo {
			if s.Channel == e.Subject {
				t.Errorf("%s is told that itself fails", s.Channel)
			}
		}
	}
	if len(of) != 3 || of[ofAChannel+" one"] != 1 || of[ofAChannel+" two"] != 1 {
		t.Errorf("told %v in an hour, want each once", of)
	}
}
