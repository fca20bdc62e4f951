package component

import (
	"context"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// offTime bounds the question behind OrOff: it may be the database that is away.
const offTime = 300 * time.Millisecond

// OrOff says that a daemon is switched off, where that is why it does not answer; else it is
// the error that there was. enabled is the query of its setting.
func OrOff(ctx context.Context, q db.DB, enabled, name string, silent error) error {
	ctx, cancel := context.WithTimeout(ctx, offTime)
	defer cancel()
	var on bool
	if err := q.QueryRow(ctx, enabled).Scan(&on); err != nil || on {
		return silent
	}
	return fault.New(fault.Conflict, "%s is switched off; switch it on in its settings", name).WithCode("switched_off")
}
