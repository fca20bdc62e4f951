package fuzz

import (
	"fmt"
	"net/http"
	"path"
	"sync/atomic"
	"time"

	"github.com/pquerna/otp/totp"
)

// worker sends one request after the other.
type worker struct {
	driver   *Driver
	number   int
	accounts [2]*account // an administrator and a viewer
	calls    map[string]int
	statuses map[int]int
	times    []time.Duration
}

func (w *worker) run(next *atomic.Int64) error {
	for _, acc := range w.accounts {
		if err := w.driver.restore(acc); err != nil {
			return err
		}
	}
	for {
		n := int(next.Add(1)) - 1
		if n >= w.driver.Requests {
			return nil
		}
		if err := w.step(n); err != nil {
			return err
		}
	}
}

// step is request n: mostly an operation, each in its turn, now and then bytes that
// are hardly HTTP, and seldom a whole story.
func (w *worker) step(n int) error {
	m := w.driver.maker(n)
	switch {
	case m.one(50) && w.driver.Only == "":
		return w.malformed(m, n)
	case m.one(300) && w.driver.Only == "":
		return w.secondFactor(n)
	}
	as := w.caller(m)
	op := w.driver.ops[n%len(w.driver.ops)]
	m.known = func(field string) (string, bool) { return as.remembers(m, op, field) }
	r := w.build(m, n, op, as)
	a := w.exchange(r)
	if a == nil {
		return nil
	}
	w.learn(r, a, as)
	if as.lost(r, a) {
		return w.driver.restore(as.account)
	}
	return nil
}

// exchange sends, judges and counts. It has no answer when the connection broke.
func (w *worker) exchange(r *request) *answer {
	a, err := w.driver.send(r)
	if err != nil {
		// A body beyond the limit may be refused before it was read; then the connection breaks under the writer.
		if len(r.body) < 1<<20 {
			w.driver.found.add(NoAnswer, r.method, "the connection broke", fmt.Sprintf("%s\n  %v\n  seed %d", r, err, w.driver.Seed))
		}
		return nil
	}
	w.driver.judge(r, a)
	w.count(r.op, a.status)
	w.times = append(w.times, a.took)
	return a
}

func (w *worker) count(op *operation, status int) {
	w.statuses[status]++
	if op != nil {
		w.calls[op.OperationID]++
	}
}

// remembers knows what makes an operation succeed: half of the time, so that it also fails.
func (c caller) remembers(m maker, op *operation, field string) (string, bool) {
	if c.account == nil || m.one(2) {
		return "", false
	}
	switch {
	case field == "email" && op.OperationID == "login":
		return c.email, true
	case field == "current_password", field == "password" && op.OperationID == "login", field == "password" && op.OperationID == "disable-totp":
		return c.password, true
	case field == "code" && c.totp != "":
		code, err := totp.GenerateCode(c.totp, time.Now())
		return code, err == nil
	}
	return "", false
}

// learn keeps what later requests can use.
func (w *worker) learn(r *request, a *answer, as caller) {
	if r.op == nil || a.status >= http.StatusBadRequest {
		return
	}
	if r.method == http.MethodDelete {
		w.driver.rows.forget(r.op, path.Base(r.target))
		return
	}
	env, err := open(a.body)
	if err != nil {
		return
	}
	w.driver.rows.learn(w.number, r.op, env["data"], a.header.Get("ETag"))
	var enrolment struct{ Secret string }
	if a.into(&enrolment) == nil && enrolment.Secret != "" && as.account != nil {
		as.totp = enrolment.Secret
	}
}
