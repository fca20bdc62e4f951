package auth

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	noon     = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	attacker = netip.MustParseAddr("203.0.113.7")
)

// allowed counts how many of n attempts at the same moment pass.
func allowed(l *Limiter, now time.Time, n int, attempt func(i int) Attempt) int {
	passed := 0
	for i := range n {
		if ok, _ := l.Allow(now, attempt(i)); ok {
			passed++
		}
	}
	return passed
}

func address(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

func TestLimiterBursts(t *testing.T) {
	v6 := netip.MustParseAddr
	for _, tc := range []struct {
		name    string
		attempt func(i int) Attempt
		want    int
	}{
		{"one address, many accounts", func(i int) Attempt { return Attempt{IP: attacker, Account: fmt.Sprint(i)} }, 10},
		{"one address without an account", func(int) Attempt { return Attempt{IP: attacker} }, 10},
		{"many addresses, one account", func(i int) Attempt { return Attempt{IP: address(i), Account: "a@x"} }, 5},
		{"many addresses, spellings of one account", func(i int) Attempt { return Attempt{IP: address(i), Account: []string{"a@x", "A@x", " a@X"}[i%3]} }, 5},
		{"one account with the device cookie", func(int) Attempt { return Attempt{IP: attacker, Account: "a@x", Device: true} }, 10},
		{"a device cookie for no account", func(int) Attempt { return Attempt{IP: attacker, Device: true} }, 10},
		{"one /64", func(i int) Attempt {
			return Attempt{IP: v6(fmt.Sprintf("2001:db8::%x:1", i)), Account: fmt.Sprint(i)}
		}, 10},
		{"many /64", func(i int) Attempt {
			return Attempt{IP: v6(fmt.Sprintf("2001:db8:0:%x::1", i)), Account: fmt.Sprint(i)}
		}, 40},
		{"IPv4 written as IPv6 and not", func(i int) Attempt {
			return Attempt{IP: []netip.Addr{attacker, v6("::ffff:203.0.113.7")}[i%2], Account: fmt.Sprint(i)}
		}, 10},
		{"one address under many zones", func(i int) Attempt {
			return Attempt{IP: v6(fmt.Sprintf("fe80::1%%eth%d", i)), Account: fmt.Sprint(i)}
		}, 10},
		{"no address at all", func(i int) Attempt { return Attempt{Account: fmt.Sprint(i)} }, 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := allowed(NewLimiter(DefaultLimits()), noon, 40, tc.attempt); got != tc.want {
				t.Errorf("passed = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestLimiterSaysWhenToComeBack(t *testing.T) {
	l := NewLimiter(DefaultLimits())
	guess := Attempt{IP: attacker, Account: "a@x"}
	allowed(l, noon, 5, func(int) Attempt { return guess })
	ok, wait := l.Allow(noon, guess)
	if ok || wait != 12*time.Second {
		t.Fatalf("sixth guess = %v, %v, want to wait 12 s", ok, wait)
	}
	if ok, _ := l.Allow(noon.Add(wait-time.Millisecond), guess); ok {
		t.Error("passed too early")
	}
	if ok, wait := l.Allow(noon.Add(wait), guess); !ok {
		t.Errorf("refused at the time it was told, another %v", wait)
	}
	if ok, _ := l.Allow(noon.Add(-time.Hour), guess); ok {
		t.Error("a clock set back gave tokens")
	}
}

func TestLimiterKeepsAnAccountBelowTenHashesAMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLimiter(DefaultLimits())
		gaps := rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 200).Draw(t, "gaps in ms")
		var passed []time.Time
		now := noon
		for i, gap := range gaps {
			now = now.Add(time.Duration(gap) * time.Millisecond)
			if ok, _ := l.Allow(now, Attempt{IP: address(i), Account: "a@x"}); ok {
				passed = append(passed, now)
			}
		}
		for i := range passed {
			if i >= 10 && passed[i].Sub(passed[i-10]) < time.Minute {
				t.Fatalf("eleven hashes within %v", passed[i].Sub(passed[i-10]))
			}
		}
	})
}

func TestAnAttackerCannotLockTheOwnerOut(t *testing.T) {
	l := NewLimiter(DefaultLimits())
	allowed(l, noon, 1000, func(int) Attempt { return Attempt{IP: attacker, Account: "owner@x"} })
	owner := Attempt{IP: attacker, Account: "owner@x", Device: true} // even behind the same NAT
	if ok, wait := l.Allow(noon, owner); !ok {
		t.Errorf("the owner has to wait %v", wait)
	}
}

func TestOnlyFailuresCost(t *testing.T) {
	l := NewLimiter(DefaultLimits())
	login := Attempt{IP: attacker, Account: "a@x"}
	for i := range 100 {
		if ok, _ := l.Allow(noon, login); !ok {
			t.Fatalf("login %d was refused", i)
		}
		l.Refund(noon, login)
	}
	if got := allowed(l, noon, 40, func(int) Attempt { return login }); got != 5 {
		t.Errorf("afterwards passed = %d, want the plain burst of 5", got)
	}
}

func TestARefusedAttemptCostsNothing(t *testing.T) {
	l := NewLimiter(DefaultLimits())
	allowed(l, noon, 40, func(int) Attempt { return Attempt{IP: attacker, Account: "a@x"} })
	if got := allowed(l, noon, 40, func(i int) Attempt { return Attempt{IP: attacker, Account: fmt.Sprint(i)} }); got != 5 {
		t.Errorf("other accounts = %d, want the 5 the address has left", got)
	}
}

func TestLimiterMemoryIsBounded(t *testing.T) {
	l := newLimiter(DefaultLimits(), 100)
	victim := func(i int) Attempt { return Attempt{IP: address(i), Account: "victim@x"} }
	allowed(l, noon, 5, victim)
	for i := range 2000 {
		l.Allow(noon, Attempt{IP: address(1000 + i), Account: fmt.Sprint(i)})
		l.Allow(noon, Attempt{Account: fmt.Sprint(i), Device: true})
	}
	for name, n := range map[string]int{"addresses": len(l.ips.entries), "accounts": len(l.accounts.entries), "devices": len(l.devices.entries)} {
		if n > 100 {
			t.Errorf("%d %s are kept, want at most 100", n, name)
		}
	}
	if ok, _ := l.Allow(noon, victim(9)); ok {
		t.Error("a flood of names made the limiter forget the account under attack")
	}
}
