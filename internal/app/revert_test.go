package app_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"gateway/internal/api"
)

// Undoing what any operation did leads back to the rows before it, or is refused with a
// reason that an operator can act on. That it is not refused needlessly is in the list.
func TestEveryChangeIsUndoneOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configured = configurationTables(t)
	for _, op := range operations(t, s.App) {
		if op.stream || !op.mutates() {
			continue
		}
		s.undoes(op)
	}
}

// notUndone are the operations whose changes cannot be undone, with the reason: all of them touch
// secrets. Those of components are among their samples.
func notUndone(t testing.TB) map[string]string {
	all := map[string]string{"DELETE /users/{id}": "secrets_not_kept"}
	for _, s := range allSamples(t) {
		maps.Copy(all, s.NotUndone)
	}
	return all
}

func (s *stage) undoes(op operation) {
	s.t.Helper()
	p, known := s.prepare(op)
	if !known {
		return
	}
	w := newWire(s.t, s.App)
	before := s.configuration()
	made := w.do(call{method: op.method, target: api.Prefix + p.path, header: p.as, body: p.text(s.t)})
	id := made.header.Get("Gateway-Change")
	if id == "" || s.configuration() == before {
		return // it stores no configuration
	}
	s.nothingWaits()
	undone := s.admin.Post("/changes/"+id+"/revert", nil)
	want, refused := notUndone(s.t)[op.String()]
	switch {
	case undone.Status == http.StatusOK && refused:
		s.t.Errorf("%s was undone, want %s", op, want)
	case undone.Status == http.StatusOK && s.configuration() != before:
		s.t.Errorf("%s was undone, and something is another than before", op)
	case undone.Status != http.StatusOK && !refused && op.path != "/changes/{id}/revert" && !slices.Contains(accounts, op.String()):
		s.t.Errorf("undoing %s = %d %s", op, undone.Status, undone.Body)
	case undone.Status != http.StatusOK && undone.Status != http.StatusConflict:
		s.t.Errorf("undoing %s = %d %s, want a conflict", op, undone.Status, undone.Body)
	}
}

// accounts are operations on passwords, codes and tokens.
var accounts = []string{
	"POST /auth/login/totp", "POST /auth/reset-password", "POST /auth/change-password", "DELETE /auth/tokens/{id}",
	"DELETE /users/{id}/tokens/{item}", "POST /auth/totp/enable", "POST /auth/totp/disable", "POST /users/{id}/password", "POST /users/{id}/totp/disable", "POST /system/ipv6",
}

// configuration sums up every configuration table, but for what each write sets anew.
func (s *stage) configuration() string {
	s.t.Helper()
	return s.sums(s.configured, "revision,updated_at,session_epoch")
}
