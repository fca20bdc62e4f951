package fuzz

import (
	"fmt"
	"net/http"
	"time"

	"github.com/pquerna/otp/totp"

	"gateway/internal/api"
)

// secondFactor goes the whole way of a second factor, which single requests hardly
// ever find: set up, enable, password, recovery code, disable.
func (w *worker) secondFactor(n int) error {
	acc := &account{role: "viewer"}
	if err := w.driver.restore(acc); err != nil {
		return err
	}
	s := &story{w: w, n: n, as: caller{account: acc}}
	var enrolment struct{ Secret string }
	s.tell("setup-totp", nil, &enrolment)
	code, err := totp.GenerateCode(enrolment.Secret, time.Now())
	if err != nil {
		return nil // somebody else's request ended this account; the next story may get further
	}
	var enabled struct {
		Codes []string `json:"recovery_codes"`
	}
	s.tell("enable-totp", object{{"code", code}}, &enabled)
	var login struct{ Token string }
	s.tell("login", object{{"email", acc.email}, {"password", acc.password}}, &login)
	if len(enabled.Codes) == 0 || login.Token == "" {
		return nil
	}
	s.tell("login-totp", object{{"token", login.Token}, {"code", "000000"}}, nil)
	s.tell("login-totp", object{{"token", login.Token}, {"recovery_code", enabled.Codes[0]}}, nil)
	s.tell("login-totp", object{{"token", login.Token}, {"recovery_code", enabled.Codes[0]}}, nil)
	s.tell("disable-totp", object{{"password", acc.password}}, nil)
	s.tell("logout", nil, nil)
	_ = w.driver.keeper(http.MethodDelete, "/users/"+acc.id, nil, nil) // somebody else's request may have done it before
	return nil
}

// story is a few requests of one caller, each judged like any other.
type story struct {
	w  *worker
	n  int
	as caller
}

func (s *story) tell(id string, body object, into any) {
	for _, op := range s.w.driver.ops {
		if op.OperationID != id {
			continue
		}
		r := &request{number: s.n, op: op, who: fmt.Sprintf("%s, in a story", s.as), method: op.method, target: api.Prefix + op.path, header: http.Header{}}
		s.as.sign(r.header)
		if body != nil {
			r.body = encode(body)
			r.header.Set("Content-Type", "application/json")
		}
		a := s.w.exchange(r)
		if a == nil {
			return
		}
		if c := a.session(); c != "" {
			s.as.cookie = c
		}
		if into != nil {
			_ = a.into(into) // what is missing is missed by the next request
		}
	}
}
