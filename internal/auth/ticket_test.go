package auth

import (
	"testing"
	"time"
)

func TestATicketIsGoodOnceForItsSessionAndThing(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		session, thing string
		after          time.Duration
		good           bool
	}{
		"its own":         {"s1", "b1", 0, true},
		"at the end":      {"s1", "b1", TicketTime - time.Second, true},
		"too late":        {"s1", "b1", TicketTime, false},
		"clock set back":  {"s1", "b1", -time.Hour, false},
		"another session": {"s2", "b1", 0, false},
		"another thing":   {"s1", "b2", 0, false},
	} {
		tickets := NewTickets()
		text := tickets.Issue(now, "s1", "b1").Reveal()
		if got := tickets.Redeem(now.Add(c.after), text, c.session, c.thing); got != c.good {
			t.Errorf("%s: good is %t", name, got)
		}
		if tickets.Redeem(now, text, "s1", "b1") {
			t.Errorf("%s: it is good twice", name)
		}
	}
	if NewTickets().Redeem(now, "", "", "") {
		t.Error("no ticket is good")
	}
}

func TestTicketsAreBounded(t *testing.T) {
	now, tickets := time.Now(), NewTickets()
	for i := range 2 * maxTickets {
		text := tickets.Issue(now.Add(time.Duration(i)*time.Millisecond), "s1", "b1").Reveal()
		if len(tickets.open.entries) > maxTickets {
			t.Fatalf("%d tickets are kept", len(tickets.open.entries))
		}
		if i == 2*maxTickets-1 && !tickets.Redeem(now.Add(2*time.Second), text, "s1", "b1") {
			t.Error("the newest was dropped")
		}
	}
}
