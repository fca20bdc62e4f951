package freeradius_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/radiustest"
	"gateway/lab"
)

// asking asks again and again, from several devices at once, until it is stopped.
func asking(t *testing.T, s *radiustest.Server, q radiustest.Question) (stop func() (asked, lost int64)) {
	t.Helper()
	var asked, lost atomic.Int64
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				asked.Add(1)
				// As long as no device waits before it asks again.
				if p, err := s.TryFor(q, time.Second); err != nil || verdict(p) != "accept" {
					lost.Add(1)
				}
			}
		})
	}
	return func() (int64, int64) {
		close(done)
		all.Wait()
		return asked.Load(), lost.Load()
	}
}

func TestUsersChangeWithoutALostRequest(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	state := typical()
	s.Use(state)
	stop := asking(t, s, radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"})
	for i := range 4 { // the daemon was just started: all but one come too early for it
		name := fmt.Sprint("new", i)
		state.Users = append(state.Users, freeradius.User{Name: name, Password: "at once", Enabled: true})
		began := time.Now()
		s.Use(state)
		took := time.Since(began)
		if got := verdict(s.Ask(radiustest.Question{Secret: shared, User: name, Password: "at once"})); got != "accept" {
			t.Errorf("change %d: %s is answered %s", i, name, got)
		}
		if took > 8*time.Second { // 3.2 s of it are the daemon's own; the machine may be shared
			t.Errorf("change %d took %v", i, took)
		}
	}
	state.Users = state.Users[:2] // without those, and without carl
	s.Use(state)
	for _, name := range []string{"new0", "carl"} {
		if got := verdict(s.Ask(radiustest.Question{Secret: shared, User: name, Password: "at once"})); got != "reject" {
			t.Errorf("%s is gone and is answered %s", name, got)
		}
	}
	if asked, lost := stop(); lost > 0 || asked < 100 {
		t.Errorf("%d of %d requests got no answer", lost, asked)
	}
	if s.Restarts != 1 || s.Reloads != 5 {
		t.Errorf("%d restarts and %d reloads, want the first and 5", s.Restarts, s.Reloads)
	}
}

func TestAClientIsAddedWithoutALostRequest(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	state := typical()
	s.Use(state)
	stop := asking(t, s, radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"})
	q := radiustest.Question{From: "127.0.0.7", Secret: "another secret", User: "bob", Password: "builder"}
	state.Clients = append(state.Clients, freeradius.Client{Name: "ap-7", Address: "127.0.0.7", Secret: "another secret", Signed: true})
	s.Use(state)
	if got := verdict(s.Ask(q)); got != "accept" {
		t.Errorf("the new client is answered %s", got)
	}
	q.Unsigned = true
	if got := verdict(s.Ask(q)); got != "silence" {
		t.Errorf("the new client, unsigned, is answered %s", got)
	}
	if asked, lost := stop(); lost > 0 || asked < 100 || s.Restarts != 1 || s.Added != 1 {
		t.Errorf("%d of %d requests got no answer; %d restarts", lost, asked, s.Restarts)
	}
	q.Unsigned = false
	state.Clients[2].Secret = "changed" // which takes a restart
	s.Use(state)
	if got := verdict(s.Ask(q)); got != "silence" {
		t.Errorf("the old secret is answered %s", got)
	}
	if q.Secret = "changed"; verdict(s.Ask(q)) != "accept" {
		t.Error("the new secret does not work")
	}
	// Under another name it is another client, in the place of the one before.
	state.Clients[2] = freeradius.Client{Name: "ap-8", Address: "127.0.0.7", Secret: "once more", Signed: true}
	s.Use(state)
	if q.Secret = "once more"; verdict(s.Ask(q)) != "accept" {
		t.Error("a client that was renamed is not known")
	}
	state.Clients = state.Clients[:2]
	s.Use(state)
	if got := verdict(s.Ask(q)); got != "silence" {
		t.Errorf("a client that is gone is answered %s", got)
	}
}

func TestAnUnknownStateIsARestart(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	state := typical()
	s.Use(state)
	if err := s.Stop(t.Context()); err != nil { // and systemd did not notice yet
		t.Fatal(err)
	}
	state.Users = state.Users[:1]
	s.Use(state)
	if got := verdict(s.Ask(radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"})); got != "accept" || s.Restarts != 2 {
		t.Errorf("answered %s after %d restarts", got, s.Restarts)
	}
	state.Probe = "" // nobody could confirm a reload
	s.Use(state)
	state.Users = nil
	s.Use(state)
	if got := verdict(s.Ask(radiustest.Question{Secret: shared, User: "alice", Password: "wonder land"})); got != "reject" || s.Restarts != 4 {
		t.Errorf("answered %s after %d restarts", got, s.Restarts)
	}
}
