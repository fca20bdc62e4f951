package restore

import (
	"cmp"
	"context"
	"maps"
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

// accounts are those of the archive, by id.
type accounts map[string]Account

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
		a[value("id")] = Account{Email: strings.ReplaceAll(value("email"), `\\`, `\`), After: after}
	}
}

// gaining are the accounts that can do more than now.
func (a accounts) gaining(ctx context.Context, q db.DB) ([]Account, error) {
	now, err := db.List[struct {
		ID, Role string
		Active   bool
	}](ctx, q, `select id::text, role, active from users`)
	if err != nil {
		return nil, err
	}
	for id, account := range a {
		account.Now = missing
		a[id] = account
	}
	for _, u := range now {
		if account, there := a[u.ID]; there {
			if account.Now = u.Role; !u.Active {
				account.Now = disabled
			}
			a[u.ID] = account
		}
	}
	gaining := slices.DeleteFunc(slices.Collect(maps.Values(a)), func(account Account) bool {
		return account.After == disabled || account.After == account.Now || account.Now == admin
	})
	slices.SortFunc(gaining, func(x, y Account) int { return cmp.Compare(x.Email, y.Email) })
	return append([]Account{}, gaining...), nil
}
