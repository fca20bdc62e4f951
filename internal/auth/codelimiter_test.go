package auth

import (
	"fmt"
	"testing"
	"time"
)

func TestCodeLimiterDelaysAfterFiveWrongCodes(t *testing.T) {
	l := NewCodeLimiter()
	now := noon
	for i := range 5 {
		if ok, wait := l.Allow("user", now); !ok {
			t.Fatalf("code %d has to wait %v", i+1, wait)
		}
	}
	for i, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute} {
		ok, wait := l.Allow("user", now)
		if ok || wait != want {
			t.Fatalf("delay %d = %v (allowed %v), want %v", i, wait, ok, want)
		}
		if ok, _ := l.Allow("user", now.Add(wait-time.Millisecond)); ok {
			t.Fatalf("delay %d ended early", i)
		}
		now = now.Add(wait)
		if ok, wait := l.Allow("user", now); !ok {
			t.Fatalf("after delay %d another %v", i, wait)
		}
	}
}

func TestCodeLimiterForgives(t *testing.T) {
	for _, tc := range []struct {
		name    string
		between func(*CodeLimiter) time.Duration
		want    int // tries that pass at once afterwards
	}{
		{"not at once", func(*CodeLimiter) time.Duration { return 0 }, 0},
		{"one try when the delay is over", func(*CodeLimiter) time.Duration { return 30 * time.Second }, 1},
		{"all after a right code", func(l *CodeLimiter) time.Duration { l.Right("user"); return 0 }, 5},
		{"all after 15 quiet minutes", func(*CodeLimiter) time.Duration { return 30*time.Second + 15*time.Minute }, 5},
		{"nobody for the right code of another", func(l *CodeLimiter) time.Duration { l.Right("other"); return 0 }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := NewCodeLimiter()
			for range 5 {
				l.Allow("user", noon)
			}
			now, got := noon.Add(tc.between(l)), 0
			for range 10 {
				if ok, _ := l.Allow("user", now); ok {
					got++
				}
			}
			if got != tc.want {
				t.Errorf("passed = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestCodeLimiterMemoryIsBounded(t *testing.T) {
	l := NewCodeLimiter()
	l.tries.limit = 50
	for range 6 {
		l.Allow("victim", noon)
	}
	for i := range 500 {
		l.Allow(fmt.Sprint(i), noon)
	}
	if n := len(l.tries.entries); n > 50 {
		t.Errorf("%d accounts are kept, want at most 50", n)
	}
	if ok, _ := l.Allow("victim", noon); ok {
		t.Error("a flood of names made the limiter forget the account under attack")
	}
}
