package app_test

import (
	"slices"

	"gateway/internal/app/apptest"
)

// allowed is what the model says of a step.
func (s *story) allowed(by *cred, st step) bool {
	if !s.good(by) {
		return false
	}
	switch st.kind {
	case "own password", "factor on":
		return !by.token
	case "token":
		return !by.token && (st.role == "viewer" || s.people[by.owner].role == "admin")
	}
	if s.acts(by) != "admin" {
		return false
	}
	own := by.owner == st.target
	p := s.people[st.target]
	switch st.kind {
	case "create":
		return true
	case "update":
		return !(own && by.token) && (st.role == "admin" && st.active || !s.last(st.target))
	case "delete":
		return !own && !s.last(st.target)
	case "revert":
		return s.revertible(by, st.undo)
	case "password", "factor off":
		return !own && p.email != "" // one's own is changed as oneself, with the present password
	}
	return true
}

// revertible is the rule for undoing: nothing has changed since what the change did, and the
// operation that would do the same by hand is allowed.
func (s *story) revertible(by *cred, d done) bool {
	now, ok := s.people[d.target]
	if !ok {
		return false
	}
	if d.before == nil { // what is shown of it is as it was made, and no program got a token since
		if slices.ContainsFunc(s.creds, func(c *cred) bool { return c.token && c.owner == d.target }) {
			return false
		}
		same := now.email == d.then.email && now.role == d.then.role && now.active == d.then.active && now.factor == d.then.factor
		return same && s.allowed(by, step{kind: "delete", target: d.target})
	}
	if *d.before == *d.then {
		return false
	}
	want := s.undone(d)
	touched := d.before.email != d.then.email && now.email != d.then.email ||
		d.before.role != d.then.role && now.role != d.then.role ||
		d.before.active != d.then.active && now.active != d.then.active
	return !touched && s.allowed(by, step{kind: "update", target: d.target, email: want.email, role: want.role, active: want.active})
}

// last reports whether nobody else could administer the node.
func (s *story) last(id string) bool {
	if p := s.people[id]; p.role != "admin" || !p.active {
		return false
	}
	for other, p := range s.people {
		if other != id && p.role == "admin" && p.active {
			return false
		}
	}
	return true
}

// apply brings the model to where the product should be now.
func (s *story) apply(by *cred, st step, got *apptest.Answer) {
	p, known := s.people[st.target]
	before := p
	var then *person
	switch st.kind {
	case "create":
		st.target = got.ID()
		s.emails[st.email] = st.password
		s.people[st.target] = person{email: st.email, role: st.role, password: st.password, active: true}
	case "update":
		s.emails[st.email] = p.password
		p.email, p.role, p.active = st.email, st.role, st.active
		s.put(st.target, before, p)
	case "delete":
		delete(s.people, st.target)
	case "password":
		p.password = st.password
		p.epoch++
		s.people[st.target] = p
	case "own password":
		p = s.people[by.owner]
		p.password = st.password
		p.epoch++
		s.people[by.owner] = p
		by.epoch = p.epoch // its cookies were renewed
	case "token":
		var made struct{ ID, Token string }
		got.Data(&made)
		s.creds = append(s.creds, &cred{client: s.Bearer(made.Token), owner: by.owner, role: st.role, epoch: by.epoch, token: true, id: made.ID})
	case "factor off":
		p.factor = ""
		p.epoch++
		s.people[st.target] = p
	case "factor on":
		p = s.people[by.owner]
		p.factor = st.password
		p.epoch++
		s.people[by.owner] = p
		by.epoch = p.epoch
	case "revert":
		s.undo(st.undo)
		return
	}
	if now, ok := s.people[st.target]; ok {
		then = &now
	}
	if id := got.Header.Get("Gateway-Change"); id != "" && (st.kind == "create" || st.kind == "update") {
		d := done{id: id, target: st.target, then: then}
		if known {
			d.before = &before
		}
		s.changes = append(s.changes, d)
	}
}

// put stores a person whose sessions end when it is not the same any more.
func (s *story) put(id string, before, now person) {
	if now.email != before.email || now.role != before.role || now.active != before.active {
		now.epoch++
	}
	s.people[id] = now
}

func (s *story) undo(d done) {
	if d.before == nil {
		delete(s.people, d.target)
		return
	}
	s.put(d.target, s.people[d.target], s.undone(d))
}

// undone is the person as it would be without a change.
func (s *story) undone(d done) person {
	now := s.people[d.target]
	if d.before.email != d.then.email {
		now.email = d.before.email
	}
	if d.before.role != d.then.role {
		now.role = d.before.role
	}
	if d.before.active != d.then.active {
		now.active = d.before.active
	}
	return now
}
