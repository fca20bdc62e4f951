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
	case "create", "revoke":
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
	if !ok || d.then == nil { // of what is deleted the history keeps no password
		return false
	}
	if d.before == nil { // what is shown of it is as it was made, and no program got a token since
		if slices.ContainsFunc(s.creds, func(c *cred) bool { return c.token && !c.gone && c.owner == d.target }) {
			return false
		}
		if s.touched(d, "email", "role", "active", "factor") {
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
	return !touched && !s.touched(d, fieldsOf(*d.before, *d.then)...) && s.allowed(by, step{kind: "update", target: d.target, email: want.email, role: want.role, active: want.active})
}

// touched reports whether a later change that stands set one of the fields, be it back to what it was.
func (s *story) touched(d done, fields ...string) bool {
	return slices.ContainsFunc(s.sets[d.at:], func(later set) bool {
		return later.target == d.target && later.change != d.id && !later.undone && slices.ContainsFunc(later.fields, func(f string) bool { return slices.Contains(fields, f) })
	})
}

func fieldsOf(before, then person) (fields []string) {
	for name, other := range map[string]bool{"email": before.email != then.email, "role": before.role != then.role, "active": before.active != then.active} {
		if other {
			fields = append(fields, name)
		}
	}
	return fields
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
	case "revoke":
		st.token.gone = true
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
		if p.factor != "" {
			s.sets = append(s.sets, set{target: st.target, fields: []string{"factor"}})
		}
		p.factor = ""
		p.epoch++
		s.people[st.target] = p
	case "factor on":
		p = s.people[by.owner]
		s.sets = append(s.sets, set{target: by.owner, fields: []string{"factor"}})
		p.factor = st.password
		p.epoch++
		s.people[by.owner] = p
		by.epoch = p.epoch
	case "revert":
		s.reverted(st)
		return
	}
	if now, ok := s.people[st.target]; ok {
		then = &now
	}
	if id := got.Header.Get("Gateway-Change"); id != "" && (st.kind == "create" || st.kind == "update" || st.kind == "delete") {
		if then != nil {
			s.sets = append(s.sets, set{change: id, target: st.target, fields: fieldsOf(before, *then)})
		}
		d := done{id: id, target: st.target, then: then, at: len(s.sets)}
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

// reverted undoes a change. Within a batch, which may do more, that counts as a change like any other.
func (s *story) reverted(st step) {
	for i := range s.sets {
		if s.sets[i].change == st.undo.id && !st.batched {
			s.sets[i].undone = true
		}
	}
	if st.batched && st.undo.before != nil {
		s.sets = append(s.sets, set{target: st.undo.target, fields: fieldsOf(*st.undo.before, *st.undo.then)})
	}
	s.undo(st.undo)
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
