package app_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"gateway/internal/app/apptest"
	"gateway/internal/setupstate"
)

// person is an account as the model has it.
type person struct {
	email, role, password string
	factor                string // secret of the second factor
	active                bool
	epoch                 int
}

// cred is a session or a token that was given out.
type cred struct {
	client      *apptest.Client
	owner, role string
	epoch       int
	token, gone bool
	id          string
}

type story struct {
	*world
	r       *rand.Rand
	first   string // the setup admin
	people  map[string]person
	creds   []*cred
	emails  map[string]string // every one that was ever in use, with a password it once had
	changes []done
	sets    []set
	faults  []string
	number  int
}

// done is a change that can be undone.
type done struct {
	id, target   string
	before, then *person
	at           int // how many sets there were
}

// set is a change of fields of an account; one that was undone on its own is as if it had not been.
type set struct {
	change, target string
	fields         []string
	undone         bool
}

type step struct {
	kind, target, email, role, password string
	active                              bool
	undo                                done
	token                               *cred // to be revoked
	batched                             bool
}

// tell plays one story and returns what was wrong.
func (w *world) tell(seed uint64, sabotage sabotage) []string {
	s := &story{world: w, r: rand.New(rand.NewPCG(seed, 2)), people: map[string]person{}, emails: map[string]string{}}
	s.begin()
	for range 6 {
		actor := s.creds[s.r.IntN(len(s.creds))]
		if s.r.IntN(4) > 0 {
			actor = s.anAdmin()
		}
		s.do(actor, s.next())
	}
	if sabotage != nil {
		sabotage(s)
	}
	s.check()
	return s.faults
}

func (s *story) begin() {
	s.Execute(`delete from users`)
	s.Execute(`delete from user_sessions where user_id not in (select id from users)`) // a control makes one
	if _, err := s.store.Update(func(st *setupstate.State) error { admin := s.admin; st.Admin = &admin; return nil }); err != nil {
		s.fault("%v", err)
	}
	c := s.SignIn(apptest.Email, apptest.Password)
	s.first = c.Get("/auth/me").ID()
	s.people[s.first] = person{email: apptest.Email, role: "admin", password: apptest.Password, active: true}
	s.emails[apptest.Email] = apptest.Password
	s.creds = []*cred{{client: c, owner: s.first, role: "admin"}}
	for _, role := range []string{"admin", "viewer"} {
		s.do(s.creds[0], step{kind: "create", email: "a." + role + "@example.com", role: role, password: apptest.Password})
	}
	for id := range s.people {
		if id != s.first {
			s.enter(id)
		}
	}
}

// enter signs somebody in, with the next code where there is a second factor.
func (s *story) enter(id string) *cred {
	p := s.people[id]
	c := &cred{client: s.SignIn(p.email, p.password), owner: id, role: p.role, epoch: p.epoch}
	if p.factor != "" {
		s.Clock.Add(time.Minute)
		c.client.Post("/auth/login/totp", fields{"token": secondToken(c.client, p), "code": s.Code(p.factor)}).Want(http.StatusOK)
	}
	s.creds = append(s.creds, c)
	return c
}

func secondToken(c *apptest.Client, p person) string {
	var first struct{ Token string }
	c.Login(p.email, p.password).Want(http.StatusOK).Data(&first)
	return first.Token
}

func (s *story) good(c *cred) bool {
	p, ok := s.people[c.owner]
	return ok && p.active && p.epoch == c.epoch && !c.gone
}

func (s *story) acts(c *cred) string {
	if p := s.people[c.owner]; p.role != "admin" {
		return p.role
	}
	return c.role
}

// anAdmin is a session that may do everything, made anew if need be: there is always one.
func (s *story) anAdmin() *cred {
	for _, c := range s.creds {
		if !c.token && s.good(c) && s.acts(c) == "admin" {
			return c
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.people)) {
		if p := s.people[id]; p.active && p.role == "admin" {
			return s.enter(id)
		}
	}
	s.fault("the model has no administrator left")
	return s.creds[0]
}

func (s *story) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *story) next() step {
	ids := slices.Sorted(maps.Keys(s.people))
	target := ids[s.r.IntN(len(ids))]
	p := s.people[target]
	role := []string{"admin", "viewer"}[s.r.IntN(2)]
	s.number++
	fresh := fmt.Sprintf("n%d@example.com", s.number)
	switch s.r.IntN(12) {
	case 0:
		return step{kind: "create", email: fresh, role: role, password: apptest.Password}
	case 1:
		return step{kind: "update", target: target, email: fresh, role: p.role, active: p.active}
	case 2, 3:
		return step{kind: "update", target: target, email: p.email, role: role, active: s.r.IntN(2) == 0}
	case 4:
		return step{kind: "delete", target: target}
	case 5:
		return step{kind: "password", target: target, password: fmt.Sprintf("password number %d", s.number)}
	case 6:
		return step{kind: "own password", password: fmt.Sprintf("password number %d", s.number)}
	case 7:
		return step{kind: "token", role: role}
	case 8:
		return step{kind: "factor off", target: target}
	case 9:
		return step{kind: "factor on"}
	case 10:
		if i := slices.IndexFunc(s.creds, func(c *cred) bool { return c.token && s.good(c) }); i >= 0 {
			return step{kind: "revoke", token: s.creds[i]}
		}
	}
	if withReverts && len(s.changes) > 0 {
		return step{kind: "revert", undo: s.changes[s.r.IntN(len(s.changes))]}
	}
	return step{kind: "token", role: role}
}

// do has an actor take a step, for real, as a dry run, within a batch, within one that breaks off, or within one that waits for
// its confirmation, and holds the answer against the model.
func (s *story) do(by *cred, st step) {
	s.steps++
	if st.kind == "factor on" && !s.enrols(by, &st) {
		return
	}
	path, method, body := s.request(by, st)
	config := st.kind == "create" || st.kind == "update" || st.kind == "delete"
	way := s.r.IntN(10)
	if len(s.creds) < 3 || !config && (st.kind != "revert" || way > 3) || way == 3 && st.kind == "create" {
		way = 9
	}
	want := s.allowed(by, st)
	by.client.Password = s.people[by.owner].password
	var got *apptest.Answer
	switch way {
	case 0:
		dry := by.client.Copy()
		dry.Header.Set("Gateway-Dry-Run", "true")
		got = dry.Do(method, path, body)
	case 1, 2:
		want = false
		got = by.client.Copy().Post("/batch", fields{"operations": []any{
			fields{"method": method, "path": path, "body": body},
			fields{"method": "POST", "path": "/users", "body": fields{"email": "no address", "role": "viewer", "password": apptest.Password}},
		}})
	case 3:
		got = by.client.Copy().Post("/batch", fields{"operations": []any{fields{"method": method, "path": path, "body": body}}})
	case 4:
		why := "not_revertible"
		if by.owner == st.target {
			why = "unauthenticated" // whoever changes the own account has no session left for the next operation
		}
		got = s.waits(by, fields{"method": method, "path": path, "body": body})
		if body := string(got.Body); want && !strings.Contains(body, why) && !strings.Contains(body, "not_revertible") {
			s.fault("%s, to be confirmed = %d %s", st.kind, got.Status, got.Body)
		}
		if want {
			s.waited++
		}
		want = false
	default:
		got = by.client.Do(method, path, body)
	}
	ok := got.Status < 300
	if !ok {
		s.refused++
	}
	if ok != want {
		s.fault("%s by %s (token %t) = %d %s, the model says %t", st.kind, s.people[by.owner].email, by.token, got.Status, got.Body, want)
	}
	if st.batched = way == 3; ok && way > 2 {
		s.apply(by, st, got)
	}
}

// waits asks for a step that is undone unless somebody confirms it, beside one of a daemon: a password or a session that ended
// does not come back, so no account may wait.
func (s *story) waits(by *cred, operation fields) *apptest.Answer {
	asks := by.client.Copy()
	var got struct{ Ticket string }
	if !by.token && by.client.Post("/auth/tickets", fields{"password": by.client.Password, "operation": "POST /batch"}).Data(&got) {
		asks.Header.Set("Gateway-Ticket", got.Ticket)
	}
	asks.Header.Set("Gateway-Confirm-Within", "3600")
	pool := fields{"kind": "server", "address": fmt.Sprintf("n%d.story.example.com", s.number)}
	return asks.Post("/batch", fields{"operations": []any{operation, fields{"method": "POST", "path": "/ntp/pools", "body": pool}}})
}

func (s *story) request(by *cred, st step) (path, method string, body any) {
	user := "/users/" + st.target
	switch st.kind {
	case "create":
		return "/users", http.MethodPost, fields{"email": st.email, "role": st.role, "password": st.password}
	case "update":
		return user, http.MethodPut, fields{"email": st.email, "role": st.role, "active": st.active}
	case "delete":
		return user, http.MethodDelete, nil
	case "password":
		return user + "/password", http.MethodPost, fields{"password": st.password}
	case "own password":
		return "/auth/change-password", http.MethodPost, fields{"current_password": s.people[by.owner].password, "new_password": st.password}
	case "token":
		return "/auth/tokens", http.MethodPost, fields{"name": fmt.Sprint("t", s.number), "role": st.role}
	case "factor off":
		return user + "/totp/disable", http.MethodPost, nil
	case "revoke":
		return "/users/" + st.token.owner + "/tokens/" + st.token.id, http.MethodDelete, nil
	case "revert":
		return "/changes/" + st.undo.id + "/revert", http.MethodPost, nil
	}
	return "/auth/totp/enable", http.MethodPost, fields{"code": s.Code(st.password)}
}

// enrols begins setting up a second factor, where that can be.
func (s *story) enrols(by *cred, st *step) bool {
	p := s.people[by.owner]
	if by.token || !s.good(by) || p.factor != "" {
		return false
	}
	var e struct{ Secret string }
	by.client.Post("/auth/totp/setup", fields{"password": p.password}).Want(http.StatusOK).Data(&e)
	st.password = e.Secret
	return true
}

// check looks at everything from outside.
func (s *story) check() {
	for _, c := range s.creds {
		want := http.StatusUnauthorized
		if s.good(c) {
			want = http.StatusOK
		}
		s.settled(c, want)
	}
	s.signIns()
	s.list()
	s.storeFollows()
	s.references()
}

// references counts what belongs to accounts that there are not.
func (s *story) references() {
	var tables []string
	const owned = `select coalesce(array_agg(table_name::text order by table_name), '{}') from information_schema.columns where table_schema = 'public' and column_name = 'user_id'`
	if err := s.Pool.QueryRow(context.Background(), owned).Scan(&tables); err != nil || len(tables) < 2 {
		s.fault("%d tables belong to accounts: %v", len(tables), err)
	}
	for _, table := range tables {
		var broken int
		if err := s.Pool.QueryRow(context.Background(), `select count(*) from `+table+` where user_id is not null and user_id not in (select id from users)`).Scan(&broken); err != nil || broken > 0 {
			s.fault("%d rows of %s belong to nobody: %v", broken, table, err)
		}
	}
}

// settled waits a moment: that a session ended is announced, not asked for.
func (s *story) settled(c *cred, want int) {
	var got int
	for range 300 {
		if got = c.client.Get("/auth/me").Status; got == want {
			return
		}
	}
	s.fault("a credential of %s (token %t) answers %d, want %d", s.people[c.owner].email, c.token, got, want)
}

func (s *story) signIns() {
	byEmail := map[string]person{}
	for _, p := range s.people {
		byEmail[p.email] = p
	}
	type try struct{ email, password string }
	tries := map[try]bool{} // with what was once good, and with what is now
	for email, once := range s.emails {
		tries[try{email, once}] = true
	}
	for email, p := range byEmail {
		tries[try{email, p.password}] = true
	}
	for one := range tries {
		email, once := one.email, one.password
		p, ok := byEmail[email]
		want := http.StatusUnauthorized
		if ok && p.password == once {
			want = http.StatusOK
		}
		if ok && p.password == once && !p.active {
			want = http.StatusForbidden
		}
		got := s.Anonymous().Login(email, once)
		var first struct {
			SecondFactor bool `json:"second_factor"`
		}
		got.Data(&first)
		if got.Status != want || want == http.StatusOK && first.SecondFactor != (p.factor != "") {
			s.fault("%s signs in with %d, second factor %t; want %d, %t", email, got.Status, first.SecondFactor, want, p.factor != "")
		}
	}
}

func (s *story) list() {
	var rows []struct {
		ID, Email, Role string
		Active          bool
	}
	s.anAdmin().client.Get("/users?limit=1000").Data(&rows)
	admins := 0
	for _, row := range rows {
		p := s.people[row.ID]
		if p.email != row.Email || p.role != row.Role || p.active != row.Active {
			s.fault("the list has %+v, the model %+v", row, p)
		}
		if row.Role == "admin" && row.Active {
			admins++
		}
	}
	if len(rows) != len(s.people) || admins == 0 {
		s.fault("%d accounts, %d of them admins; the model has %d", len(rows), admins, len(s.people))
	}
}

// storeFollows holds the setup store against its row.
func (s *story) storeFollows() {
	state, err := s.store.Load()
	p, ok := s.people[s.first]
	switch {
	case err != nil:
		s.fault("%v", err)
	case !ok && state.Admin != nil:
		s.fault("the setup store kept a deleted account")
	case !ok:
	case state.Admin == nil:
		s.fault("the setup store lost its admin")
	case state.Admin.UserID != s.first || state.Admin.Email != p.email || state.Admin.Disabled == (p.active && p.role == "admin"):
		s.fault("the setup store has %s, disabled %t; the model %+v", state.Admin.Email, state.Admin.Disabled, p)
	default:
		var hash string
		if err := s.Pool.QueryRow(context.Background(), `select password_hash from users where id = $1`, s.first).Scan(&hash); err != nil || hash != state.Admin.PasswordHash.Reveal() {
			s.fault("the setup store has another password than the row")
		}
	}
}
