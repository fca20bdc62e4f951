package fuzz

import (
	"fmt"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
)

// account is one that a worker signs in with. Anything may happen to it: it is put
// right again when it no longer works.
type account struct {
	role            string
	id              string
	email, password string
	cookie, token   string
	totp            string // secret of the authenticator being set up
}

// caller is an account by one of its two credentials; without an account, a stranger.
type caller struct {
	*account
	byToken bool
}

func (c caller) String() string {
	switch {
	case c.account == nil:
		return "anonymous"
	case c.byToken:
		return c.role + " token"
	}
	return c.role
}

func (c caller) sign(h http.Header) {
	switch {
	case c.account == nil:
	case c.byToken:
		h.Set("Authorization", "Bearer "+c.token)
	default:
		h.Set("Cookie", api.SessionCookie+"="+c.cookie)
	}
}

// caller picks who asks: an administrator more often than not, since only they get far.
func (w *worker) caller(m maker) caller {
	admin, viewer := w.accounts[0], w.accounts[1]
	switch n := m.IntN(100); {
	case n < 50:
		return caller{account: admin}
	case n < 65:
		return caller{account: viewer}
	case n < 78:
		return caller{account: admin, byToken: true}
	case n < 86:
		return caller{account: viewer, byToken: true}
	}
	return caller{}
}

// lost reports whether the answer may mean that the account was harmed by what the run did to it.
func (c caller) lost(r *request, a *answer) bool {
	if c.account == nil || r.op == nil || r.op.Security == nil {
		return false
	}
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden && c.role == "admin"
}

// restore makes the account what it was: it exists, has its role and password, and is signed in.
func (d *Driver) restore(acc *account) error {
	var err error
	for range 20 {
		if err = d.tryRestore(acc); err == nil {
			return nil
		}
		// Other workers are at it too, and may have done to this account what it was just cured of.
	}
	return fmt.Errorf("restore %s %s: %w", acc.role, acc.email, err)
}

func (d *Driver) tryRestore(acc *account) error {
	if d.fit(acc) {
		return nil
	}
	acc.password = fmt.Sprintf("%s-%016x", canary, d.serial.Add(1)*0x9e3779b97f4a7c15)
	wanted := map[string]any{"email": acc.email, "role": acc.role, "active": true, "password": acc.password}
	if acc.id == "" || d.keeper("PUT", "/users/"+acc.id, wanted, nil) != nil {
		acc.email = fmt.Sprintf("%s%d@fuzz.example.com", acc.role, d.serial.Add(1))
		wanted["email"] = acc.email
		var made struct{ ID string }
		if err := d.keeper("POST", "/users", wanted, &made); err != nil {
			return err
		}
		acc.id = made.ID
	}
	if err := d.keeper("POST", "/users/"+acc.id+"/totp/disable", nil, nil); err != nil {
		return err
	}
	return d.signIn(acc)
}

// fit reports whether both credentials of the account still do what its role allows.
func (d *Driver) fit(acc *account) bool {
	for _, byToken := range []bool{false, true} {
		var me struct{ Role string }
		if acc.cookie == "" || d.ask(caller{acc, byToken}, "GET", "/auth/me", nil, &me) != nil || me.Role != acc.role {
			return false
		}
	}
	return true
}

func (d *Driver) signIn(acc *account) error {
	a, err := d.call(caller{}, "POST", "/auth/login", map[string]any{"email": acc.email, "password": acc.password})
	if err != nil {
		return err
	}
	if acc.cookie = a.session(); acc.cookie == "" {
		return fmt.Errorf("sign in: %d %s", a.status, a.body)
	}
	name := fmt.Sprintf("fuzz %d", d.serial.Add(1))
	var made struct{ Token string }
	err = d.ask(caller{account: acc}, "POST", "/auth/tokens", map[string]any{"name": name, "role": acc.role}, &made)
	acc.token = made.Token
	return err
}

// keeper asks as the first administrator, whom the run never touches. It signs in
// again when its session is over.
func (d *Driver) keeper(method, path string, body, into any) error {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	a, err := d.call(caller{account: d.first}, method, path, body)
	if err == nil && a.status == http.StatusUnauthorized {
		if a, err = d.call(caller{}, "POST", "/auth/login", map[string]any{"email": apptest.Email, "password": apptest.Password}); err == nil {
			d.first.cookie = a.session()
			a, err = d.call(caller{account: d.first}, method, path, body)
		}
	}
	if err != nil {
		return err
	}
	return a.into(into)
}
