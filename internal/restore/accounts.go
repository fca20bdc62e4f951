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

// affected are the accounts that can do more than now, and those that somebody can use with what was replaced since: an
// old password, which may be known to others, or no second factor. One that is disabled afterwards is neither.
func (a accounts) affected(ctx context.Context, q db.DB) ([]Account, error) {
	now, err := db.List[struct {
		ID, Role         string
		Active           bool
		Password, Factor string
	}](ctx, q, `select id::text, role, active, password_hash as password, case when totp_enabled then coalesce(totp_secret::text, '') else '' end as factor from users`)
	if err != nil {
		return nil, err
	}
	for _, u := range now {
		account, there := a[u.ID]
		if !there {
			continue
		}
		if account.Now = u.Role; !u.Active {
			account.Now = disabled
		}
		account.Password = account.password != u.Password
		switch {
		case u.Factor == "" || u.Factor == account.factor:
		case account.factor == "":
			account.SecondFactor = factorGone
		default:
			account.SecondFactor = factorOther
		}
		a[u.ID] = account
	}
	affected := []Account{}
	for _, account := range a {
		gains := account.After != account.Now && account.Now != admin
		if account.After != disabled && (gains || account.Password || account.SecondFactor != "") {
			affected = append(affected, account.Account)
		}
	}
	slices.SortFunc(affected, func(x, y Account) int { return cmp.Compare(x.Email, y.Email) })
	return affected, nil
}
