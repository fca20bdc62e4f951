package change_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// Of two changes that wait for each other the database ends one, which did nothing wrong.
func TestADeadlockIsAnsweredAsBusy(t *testing.T) {
	w := newWarehouse(t)
	for _, name := range []string{"a", "b"} {
		w.do(`insert into boxes (id, name) values ($1, $2)`, db.NewID(), name)
	}
	var both, ready sync.WaitGroup
	ready.Add(2)
	ended := make([]error, 2)
	for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		both.Go(func() {
			var once sync.Once
			arrive := func() { once.Do(ready.Done) }
			defer arrive()
			ended[i] = w.run.Run(w.ctx, change.Change{Component: "box " + order[0], Action: "box.do"}, func(tx change.Tx) error {
				for _, name := range order {
					if _, err := tx.Exec(context.Background(), `update boxes set size = size + 1 where name = $1`, name); err != nil {
						return err
					}
					arrive()
					ready.Wait()
				}
				return nil
			})
		})
	}
	both.Wait()
	if (ended[0] == nil) == (ended[1] == nil) {
		t.Fatalf("they ended with %v, want one of them refused", ended)
	}
	f, ok := fault.Of(errors.Join(ended...))
	if !ok || f.Kind != fault.TooMany || f.Code != "busy" || f.RetryAfter == 0 {
		t.Errorf("answered %v, want that it may be tried again", errors.Join(ended...))
	}
	w.is(`[a 2 {}; b 2 {};]`)
}
