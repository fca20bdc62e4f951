package app_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

const (
	refusedWithin = time.Second
	closedWithin  = 2 * time.Second
	// giveUp is when a session or stream that goes on is taken to go on for ever.
	giveUp = 30 * time.Second
)

// A session that ended is refused and its open streams are closed, whatever ended it.
// The time counts from before the act is sent, so that it holds the act itself too.
func TestBarFoundation04Revocation(t *testing.T) {
	bar.NotShort(t)
	s := newStage(t)
	_, bystander := s.account("viewer")
	unrelated := watch(t, bystander)
	rounds := bar.GateSize(2, 4, 50)
	var worst lasted
	for _, e := range append(endings(), ending{name: "password set while requests are under way"}) {
		for range rounds {
			l := measure(s, e)
			if l.refused > refusedWithin || l.closed > closedWithin {
				t.Logf("%s: refused after %v, closed after %v (%v means not at all)", e.name, l.refused, l.closed, giveUp)
			}
			worst = worst.or(l)
		}
	}
	alive := stillThere(s, bystander, unrelated)
	figure := fmt.Sprintf("refused <= %d ms, stream closed <= %d ms (%d ways x %d), control: unrelated session and stream alive %t",
		worst.refused.Milliseconds(), worst.closed.Milliseconds(), len(endings())+1, rounds, alive)
	right := worst.refused < giveUp && worst.closed < giveUp && alive && !t.Failed()
	bar.ReportTimed(t, "foundation", 4, figure, "<= 1000 ms, <= 2000 ms, control alive", right, worst.refused <= refusedWithin && worst.closed <= closedWithin)
}

// lasted is how long a session and its stream went on.
type lasted struct{ refused, closed time.Duration }

func (l lasted) or(m lasted) lasted {
	return lasted{max(l.refused, m.refused), max(l.closed, m.closed)}
}

// ending is a way for a session to end: it makes a victim and returns what ends it.
type ending struct {
	name string
	make func(s *stage) (victim *apptest.Client, act func())
}

func endings() []ending {
	type client = *apptest.Client
	// own is something that the owner does in another session.
	own := func(name string, act func(s *stage, victim, other client)) ending {
		return ending{name, func(s *stage) (client, func()) {
			email, victim := s.account("admin")
			other := s.SignIn(email, apptest.Password)
			return victim, func() { act(s, victim, other) }
		}}
	}
	// done is something that an admin does to the account.
	done := func(name string, act func(s *stage, id, email string)) ending {
		return ending{name, func(s *stage) (client, func()) {
			email, victim := s.account("admin")
			id := me(victim)
			return victim, func() { act(s, id, email) }
		}}
	}
	return []ending{
		own("logout", func(_ *stage, victim, _ client) { victim.Copy().Post("/auth/logout", nil).Want(http.StatusOK) }),
		own("own password change", func(_ *stage, _, other client) {
			other.Post("/auth/change-password", fields{"current_password": apptest.Password, "new_password": "another good password"}).Want(http.StatusOK)
		}),
		done("password set by an admin", func(s *stage, id, _ string) {
			s.admin.Post("/users/"+id+"/password", fields{"password": "another good password"}).Want(http.StatusOK)
		}),
		done("demotion", func(s *stage, id, email string) {
			s.admin.Put("/users/"+id, fields{"email": email, "role": "viewer"}).Want(http.StatusOK)
		}),
		done("deactivation", func(s *stage, id, email string) {
			s.admin.Put("/users/"+id, fields{"email": email, "role": "admin", "active": false}).Want(http.StatusOK)
		}),
		done("deletion", func(s *stage, id, _ string) { s.admin.Delete("/users/" + id).Want(http.StatusOK) }),
		{"session revoked by its owner", revokedByOwner},
		{"second factor turned off by an admin", func(s *stage) (client, func()) {
			_, victim := s.account("admin")
			victim.EnrolTOTP()
			id := me(victim)
			return victim, func() { s.admin.Post("/users/"+id+"/totp/disable", nil).Want(http.StatusOK) }
		}},
		{"second factor turned on", func(s *stage) (client, func()) {
			email, victim := s.account("admin")
			other := s.SignIn(email, apptest.Password)
			var enrolment struct{ Secret string }
			other.Post("/auth/totp/setup", fields{"password": apptest.Password}).Want(http.StatusOK).Data(&enrolment)
			return victim, func() {
				other.Post("/auth/totp/enable", fields{"code": s.Code(enrolment.Secret)}).Want(http.StatusOK)
			}
		}},
		{"password reset with a token from the box", func(s *stage) (client, func()) {
			token := resetToken(s)
			return s.SignIn(apptest.Email, apptest.Password), func() {
				s.Anonymous().Post("/auth/reset-password", fields{"token": token, "new_password": apptest.Password}).Want(http.StatusOK)
			}
		}},
		{"token revoked", func(s *stage) (client, func()) {
			_, owner := s.account("viewer")
			made := owner.Post("/auth/tokens", fields{"name": "mine", "role": "viewer"}).Want(http.StatusCreated)
			var token struct{ Token string }
			made.Data(&token)
			return s.Bearer(token.Token), func() { owner.Delete("/auth/tokens/" + made.ID()).Want(http.StatusOK) }
		}},
	}
}

func revokedByOwner(s *stage) (*apptest.Client, func()) {
	email, victim := s.account("viewer")
	sid := currentSession(s.t, victim)
	other := s.SignIn(email, apptest.Password)
	return victim, func() { other.Delete("/auth/sessions/" + sid).Want(http.StatusOK) }
}

// measure lets a session and its stream live, ends it, and tells how long each went on.
func measure(s *stage, e ending) lasted {
	s.t.Helper()
	if e.make == nil {
		return contested(s)
	}
	victim, act := e.make(s)
	stream := watch(s.t, victim)
	<-stream.heard // it is open
	session := poll(s, victim)
	<-session.served // it is good
	start := time.Now()
	act()
	l := lasted{until(session.refused, start), until(stream.closed, start)}
	if l.closed < giveUp && stream.code != websocket.StatusPolicyViolation {
		s.t.Logf("%s: stream closed with %v, not with a policy violation", e.name, stream.code)
	}
	if again := victim.Copy().Get("/auth/me").Status; l.refused < giveUp && again != http.StatusUnauthorized {
		s.t.Errorf("%s: refused once, then %d", e.name, again)
	}
	return l
}

func until(end <-chan time.Time, start time.Time) time.Duration {
	select {
	case at := <-end:
		return at.Sub(start)
	case <-time.After(giveUp - time.Since(start)):
		return giveUp
	}
}

// contested ends a session while requests of it are half-way: they have read that it is
// good, and then wait for the very transaction that ends it, to note that it was seen.
// What they know is out of date when they go on, and must not outlive them.
func contested(s *stage) lasted {
	s.t.Helper()
	_, victim := s.account("viewer")
	target := api.Prefix + "/users/" + me(victim) + "/password"
	var streams []*watcher
	for range 6 {
		streams = append(streams, watch(s.t, victim))
		<-streams[len(streams)-1].heard
	}
	s.Clock.Add(2 * time.Minute) // so that the next request notes the time

	by := bearerHeader(mintToken(s.admin, unique(), "admin", 1)) // a session would be asked for its password
	release := holdAudit(s)
	answered := make(chan got, 1)
	go func() {
		g, _ := newWire(s.t, s.App).try(call{method: http.MethodPost, target: target, header: by, body: `{"password": "another good password"}`})
		answered <- g
	}()
	waiting(s, 1)
	var sessions []*poller
	for range 10 {
		sessions = append(sessions, poll(s, victim))
	}
	waiting(s, 2)
	start := time.Now()
	release()
	if g := <-answered; g.status != http.StatusOK {
		s.t.Fatalf("set password = %d %s", g.status, g.body)
	}
	var l lasted
	for _, p := range sessions {
		l = l.or(lasted{refused: until(p.refused, start)})
	}
	for _, w := range streams {
		l = l.or(lasted{closed: until(w.closed, start)})
	}
	return l
}

// holdAudit keeps every change from committing, as a slow disk would, until release is called.
func holdAudit(s *stage) (release func()) {
	s.t.Helper()
	tx, err := s.Pool.Begin(s.t.Context())
	if err == nil {
		_, err = tx.Exec(s.t.Context(), `select node_id from audit_heads for update`)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // a test that ends early would wait for it for ever
	return func() {
		if err := tx.Commit(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
}

// waiting waits until that many transactions wait for another.
func waiting(s *stage, n int) {
	s.t.Helper()
	const blocked = `select count(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
	s.Until("transactions wait", func() bool { return s.count(blocked) >= n })
}

// poller asks again and again, as a busy browser does, until it is refused.
type poller struct {
	served  chan struct{}
	refused chan time.Time
}

func poll(s *stage, c *apptest.Client) *poller {
	p := &poller{served: make(chan struct{}), refused: make(chan time.Time, 1)}
	w := newWire(s.t, s.App).alone()
	header := c.Header.Clone()
	if c.Cookies[api.SessionCookie] != "" {
		header = sessionOf(c)
	}
	again := time.NewTicker(time.Millisecond)
	go func() {
		defer again.Stop()
		for n := 0; ; n++ {
			g, err := w.try(call{method: http.MethodGet, target: api.Prefix + "/auth/me", header: header})
			switch {
			case err != nil:
				return // whoever waits gives up
			case g.status == http.StatusUnauthorized:
				p.refused <- time.Now()
				return
			case n == 0 && g.status == http.StatusOK:
				close(p.served)
			}
			<-again.C
		}
	}()
	return p
}

// watcher reads a stream until it is closed.
type watcher struct {
	heard  chan struct{} // holds something when there were messages since the last look
	closed chan time.Time
	code   websocket.StatusCode // once closed
}

func watch(t *testing.T, c *apptest.Client) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	stream, _, err := c.Stream(ctx, "/audit/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{heard: make(chan struct{}, 1), closed: make(chan time.Time, 1)}
	go func() {
		for {
			if _, _, err := stream.Read(ctx); err != nil {
				w.code = websocket.CloseStatus(err)
				w.closed <- time.Now()
				return
			}
			select {
			case w.heard <- struct{}{}:
			default:
			}
		}
	}()
	return w
}

// stillThere makes an audit entry and tells whether a session and its stream see it.
func stillThere(s *stage, c *apptest.Client, w *watcher) bool {
	for len(w.heard) > 0 {
		<-w.heard
	}
	s.account("viewer")
	select {
	case <-w.heard:
		return c.Get("/auth/me").Status == http.StatusOK
	case <-w.closed:
	case <-time.After(giveUp):
	}
	return false
}
