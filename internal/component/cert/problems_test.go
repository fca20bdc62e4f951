package cert

import (
	"errors"
	"testing"

	"gateway/internal/problem"
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
