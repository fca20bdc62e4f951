package restore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gateway/internal/db"
)

// The states of an account beside its roles, and the role that can do everything.
const (
	missing  = "missing"
	disabled = "disabled"
	admin    = "admin"
)

// What happens to the second factor of an account.
const (
	factorGone  = "removed"
	factorOther = "changed"
	factorBack  = "returned"
)

// accounts are those of the archive, by id.
type accounts map[string]credentials

// credentials are an account with what it signs in by, to be compared and never told.
type credentials struct {
	Account
	password, factor string // the hash, and the sealed key; empty without one
}

// reader looks at the rows of a table; nil when they are no accounts.
func (a accounts) reader(table string) func(value func(string) string) {
	if table != "users" {
		return nil
	}
	return func(value func(string) string) {
		after := value("role")
		if value("active") != "t" {
			after = disabled
		}
		factor := ""
		if value("totp_enabled") == "t" {
			factor = plainText(value("totp_secret"))
		}
		a[value("id")] = credentials{Account{Email: plainText(value("email")), Now: missing, After: after}, plainText(value("password_hash")), factor}
	}
}

// plainText is a value of COPY text without line breaks in it.
func plainText(value string) string { return strings.ReplaceAll(value, `\\`, `\`) }

// affected are the accounts that can do more than now, and those that are signed in to by something else than now: an old
// password, which may be known to others, no second factor, or an old one, of which the device may be gone. One that is
// disabled afterwards is neither.
func (a accounts) affected(ctx context.Context, q db.DB) ([]Account, error) {
	now, err := db.List[present](ctx, q, `select id::text, email, role, active, password_hash as password, case when totp_enabled then coalesce(totp_secret::text, '') else '' end as factor from users`)
	if err != nil {
		return nil, err
	}
	return a.against(now), nil
}

// present is an account that there is now.
type present struct {
	ID, Email, Role  string
	Active           bool
	Password, Factor string
}

func (a accounts) against(now []present) []Account {
	byID, byEmail := map[string]present{}, map[string]present{}
	for _, u := range now {
		byID[u.ID], byEmail[strings.ToLower(u.Email)] = u, u
	}
	affected := []Account{}
	for id, account := range a {
		u, there := byID[id]
		if !there { // set up anew, as on other hardware: whoever signs in by that address is meant all the same
			u, there = byEmail[strings.ToLower(account.Email)]
		}
		if there {
			account.replaces(u)
		}
		gains := account.After != account.Now && account.Now != admin
		if account.After != disabled && (gains || account.Password || account.SecondFactor != "") {
			affected = append(affected, account.Account)
		}
	}
	slices.SortFunc(affected, func(x, y Account) int { return cmp.Compare(x.Email, y.Email) })
	return affected
}

// replaces notes what becomes of an account that there is now.
func (c *credentials) replaces(u present) {
	if c.Now = u.Role; !u.Active {
		c.Now = disabled
	}
	c.Password = c.password != u.Password
	switch {
	case u.Factor == c.factor:
	case c.factor == "":
		c.SecondFactor = factorGone
	case u.Factor == "":
		c.SecondFactor = factorBack
	default:
		c.SecondFactor = factorOther
	}
}
