package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

const parallel = 50

// What works once works once, even when fifty try at the same moment.
//
// shows AUTH-29
func TestBarFoundation05OnlyOneWins(t *testing.T) {
	bar.NotShort(t)
	s := newStage(t)
	field := newRacers(s)
	rounds := bar.GateSize(2, 5, 100)
	wrong, late := 0, 0
	for range rounds {
		for name, race := range map[string]func(*stage, racers) outcome{
			"TOTP code": raceTOTP, "recovery code": raceRecovery, "reset token": raceReset,
		} {
			o := race(s, field)
			late += o.late
			if o.won != 1 || o.effects != 1 || o.late == 0 { // without a loser there was no race
				wrong++
				t.Logf("one %s: %d of %d won, %d came late, %d took effect", name, o.won, parallel, o.late, o.effects)
			}
		}
	}
	winners := raceDifferent(s, field)
	figure := fmt.Sprintf("%d of %d races without exactly one winner of %d (%d losers met the guard itself), control: %d of %d different codes won",
		wrong, 3*rounds, parallel, late, winners, different)
	bar.Report(t, "foundation", 5, figure, "0 races, control > 1", wrong == 0 && winners == different)
}

// outcome of a race. Effects is how often the database says that it happened. Late are
// those who were told that the thing was used already, rather than to slow down.
type outcome struct{ won, late, effects int }

// racers have a connection each, open already, so that nothing but the server orders them.
type racers []*wire

func newRacers(s *stage) racers {
	r := make(racers, parallel)
	for i := range r {
		r[i] = newWire(s.t, s.App).alone()
		r[i].do(call{method: http.MethodGet, target: api.Prefix + "/system/health"})
	}
	return r
}

// race sends one body per racer at the same moment.
func (r racers) race(s *stage, path string, bodies []any) (o outcome) {
	s.t.Helper()
	calls := make([]call, len(bodies))
	for i, b := range bodies {
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		calls[i] = call{method: http.MethodPost, target: api.Prefix + path, body: string(data)}
	}
	statuses, errs := make([]int, len(bodies)), make([]error, len(bodies))
	gun := make(chan struct{})
	var running sync.WaitGroup
	for i := range calls {
		running.Go(func() {
			<-gun
			g, err := r[i].try(calls[i])
			statuses[i], errs[i] = g.status, err
		})
	}
	close(gun)
	running.Wait()
	for i, status := range statuses {
		switch status {
		case http.StatusOK:
			o.won++
		case http.StatusUnauthorized:
			o.late++
		case http.StatusTooManyRequests:
		default:
			s.t.Errorf("%s in parallel = %d %v", path, status, errs[i])
		}
	}
	return o
}

// count asks the database how often something happened.
func (s *stage) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.Pool.QueryRow(s.t.Context(), query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

const sessionsOf = `select count(s.id) from user_sessions s join users u on u.id = s.user_id where u.email = $1`

// enrolled makes an account with a second factor. Each race has its own, because wrong codes slow an account down.
func enrolled(s *stage) (email, secret string, codes []string) {
	email, c := s.account("viewer")
	secret, codes = c.EnrolTOTP()
	s.Clock.Add(30 * time.Second) // the code that enrolled is used
	return email, secret, codes
}

// raceSecondFactor lets everybody bring the password step's own token and the same proof.
func raceSecondFactor(s *stage, r racers, email string, proof fields) outcome {
	bodies := make([]any, parallel)
	for i := range bodies {
		body := fields{"token": secondStep(s, email)}
		for k, v := range proof {
			body[k] = v
		}
		bodies[i] = body
	}
	before := s.count(sessionsOf, email)
	o := r.race(s, "/auth/login/totp", bodies)
	o.effects = s.count(sessionsOf, email) - before
	return o
}

func raceTOTP(s *stage, r racers) outcome {
	email, secret, _ := enrolled(s)
	return raceSecondFactor(s, r, email, fields{"code": s.Code(secret)})
}

func raceRecovery(s *stage, r racers) outcome {
	email, _, codes := enrolled(s)
	return raceSecondFactor(s, r, email, fields{"recovery_code": codes[0]})
}

// raceReset lets everybody set another password: only the winner's signs in.
func raceReset(s *stage, r racers) outcome {
	token := resetToken(s)
	bodies := make([]any, parallel)
	password := func(i int) string { return fmt.Sprintf("the password of racer %d", i) }
	for i := range bodies {
		bodies[i] = fields{"token": token, "new_password": password(i)}
	}
	o := r.race(s, "/auth/reset-password", bodies)
	for i := range bodies {
		if s.Anonymous().Login(apptest.Email, password(i)).Status == http.StatusOK {
			o.effects++
		}
	}
	return o
}

// different is how many codes an account may get wrong before it is slowed down.
const different = 5

// raceDifferent is the control: different codes of one account all win, so the count can be more than one.
func raceDifferent(s *stage, r racers) int {
	email, _, codes := enrolled(s)
	bodies := make([]any, different)
	for i := range bodies {
		bodies[i] = fields{"token": secondStep(s, email), "recovery_code": codes[i]}
	}
	return r.race(s, "/auth/login/totp", bodies).won
}
