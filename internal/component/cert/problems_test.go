package cert

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"gateway/internal/problem"
	"gateway/internal/setupstate"
)

func (r *rig) found() problem.Report {
	r.T.Helper()
	found, err := r.s.findProblems(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	return found
}

func TestACertificateThatHAProxyDoesNotServeIsNotValid(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"shop.example.com"}})
	other := r.make(object{"source": "self_signed", "names": []string{"www.example.com"}})
	if states := r.found().States["certificate"]; len(states) != 0 {
		t.Fatalf("states = %v, want both valid", states)
	}
	r.refuse = errors.New("HAProxy holds another serial")
	r.put(c, object{"source": "self_signed", "names": []string{"shop.example.com", "store.example.com"}})
	found := r.found()
	if state := found.States["certificate"][c.ID]; state.State != "not_applied" || state.Code != "cert.not_applied" {
		t.Errorf("a renewed one that was not applied is %+v", state)
	}
	if len(found.States["certificate"]) != 1 {
		t.Errorf("states = %v, want %s to stay valid", found.States, other.ID)
	}
	if len(found.Problems) != 0 {
		t.Errorf("problems = %+v, want none: the cause is the component's", found.Problems)
	}
	r.refuse = nil
	r.MustSync()
	if states := r.found().States["certificate"]; len(states) != 0 {
		t.Errorf("applied, states = %v, want both valid", states)
	}
}

func TestACertificateWhoseKeyCannotBeReadIsNotValid(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"shop.example.com"}})
	r.make(object{"source": "self_signed", "names": []string{"www.example.com"}})
	r.Restore(`update certificates set private_key = 'sealed elsewhere' where id = $1`, c.ID)
	r.Sync()
	states := r.found().States["certificate"]
	if len(states) != 1 || states[c.ID].State != "not_applied" {
		t.Errorf("states = %v, want the one that is left out not applied", states)
	}
}

// shows ALERT-15, ALERT-16, ALERT-18
func TestWhatAlertsAreToldOfACertificate(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, left string
		failed     bool
		want       []string
	}{
		{"two weeks and a day", "15 days", false, nil},
		{"less than two weeks", "13 days", false, []string{"cert.expiring warning"}},
		{"three days and an hour", "73 hours", false, []string{"cert.expiring warning"}},
		{"less than three days", "71 hours", false, []string{"cert.expiring error"}},
		{"none", "-1 hour", false, []string{"cert.expiring error"}},
		{"much, and it could not be renewed", "25 days", true, []string{"cert.renew_failed warning"}},
		{"little, and it could not be renewed", "2 days", true, []string{"cert.renew_failed error", "cert.expiring error"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := r.make(object{"source": "self_signed", "names": []string{"shop.example.com"}})
			other := r.make(object{"source": "self_signed", "names": []string{"www.example.com"}})
			for _, one := range []Certificate{c, other} {
				r.Restore(`update certificates set not_before = now() - interval '80 days', not_after = now() + $2::interval where id = $1`, one.ID, tc.left)
				if tc.failed {
					_, err := r.Pool.Exec(t.Context(), `insert into certificate_status (certificate_id, last_error, last_error_message) values ($1, 'dns_mismatch', 'no')
						on conflict (certificate_id) do update set last_error = 'dns_mismatch'`, one.ID)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			told := map[string][]string{}
			for _, p := range r.found().Problems {
				for _, one := range append([]problem.Problem{p}, p.Also...) {
					told[one.Subject.ID] = append(told[one.Subject.ID], one.Alert+" "+string(one.Severity))
				}
			}
			for _, one := range []Certificate{c, other} {
				if !slices.Equal(told[one.ID], tc.want) {
					t.Errorf("%s: told %v, want %v", one.Names[0], told[one.ID], tc.want)
				}
				r.Do("DELETE", "/certificates/"+one.ID, nil).Want(http.StatusOK)
			}
		})
	}
}

// shows ALERT-19
func TestAnAbortedCycleIsTold(t *testing.T) {
	r := newRig(t)
	aborted := 0
	r.s.CycleFailed = func(context.Context) { aborted++ }
	if err := r.s.renewCycle(t.Context()); err != nil || aborted != 0 {
		t.Errorf("a good cycle: %v, told %d times", err, aborted)
	}
	r.s.Setup = unreadable{}
	if err := r.s.renewCycle(t.Context()); err == nil || aborted != 1 {
		t.Errorf("a cycle without settings: %v, told %d times", err, aborted)
	}
}

type unreadable struct{}

func (unreadable) Load() (setupstate.State, error) {
	return setupstate.State{}, errors.New("unreadable")
}
