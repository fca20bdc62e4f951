package backup

import (
	"context"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/process"
)

// waitOnNode is how long a restore that begins on the node waits for its backup: no browser does.
const waitOnNode = 25 * time.Minute

// BeforeRestore backs up what there is now, for a restore that does not begin over the API. A backup that is being made is
// waited for: the restore that follows would end it.
func BeforeRestore(ctx context.Context, pool db.Pool, scheduler questions) error {
	s := newService(Options{DB: pool, Questions: scheduler, Now: time.Now})
	s.wait = waitOnNode
	for {
		err := s.snapshot(ctx)
		if f, _ := fault.Of(err); f == nil || f.Code != codeRunning || !process.Pause(ctx, time.Second) {
			return err
		}
	}
}
