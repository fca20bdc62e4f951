package chrony_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/change"
	"gateway/internal/component/ntp"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
)

// newPool is a database with the component's tables, which package ntp makes.
func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return dbtest.New(t, change.Schema(), ntp.New(ntp.Options{}).Schema())
}

// gateway-apply has the daemon alone, where there is nobody to change rows.
func TestWithoutTheAPI(t *testing.T) {
	pool := newPool(t)
	d := chrony.New(chrony.Options{Units: &chrony.Systemd{}, Exec: chrony.RealChronyd(t)})
	r, err := d.Render(t.Context(), pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := r.Stage(dir); err != nil {
		t.Fatal(err)
	}
	if err := d.Check(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if err := d.Apply(t.Context(), daemon.Rendering{}, r); err != nil {
		t.Error(err)
	}
}

func TestMissingSettingsAreNoGuess(t *testing.T) {
	pool := newPool(t)
	if _, err := pool.Exec(t.Context(), `drop table ntp_settings`); err != nil {
		t.Fatal(err)
	}
	if _, err := chrony.New(chrony.Options{}).Render(t.Context(), pool, nil); err == nil || fault.Is(err, fault.Invalid) {
		t.Errorf("render = %v, want an error of ours", err)
	}
}
