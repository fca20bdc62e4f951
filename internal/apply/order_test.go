package apply

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gateway/internal/change"
	"gateway/internal/daemon"
)

// three components, of which the last comes after the others.
func three() (first, second, last *worker) {
	named := func(name string) daemon.Daemon { return daemon.Daemon{Config: daemon.Config{Name: name}} }
	e := NewEngine(EngineOptions{Clock: Clock{Now: time.Now}, Daemons: []daemon.Daemon{named("first"), named("second"), named("last")}})
	return e.workers[0], e.workers[1], e.workers[2]
}

// endsRounds has a component end its rounds at once.
func endsRounds(ctx context.Context, w *worker) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			for _, c := range w.take() {
				c <- change.Applied{}
			}
		}
	}
}

// Who hangs holds up the others so long and no longer, and is named.
func TestWhoIsLateIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, last := three()
		limited, cancel := context.WithTimeout(t.Context(), orderTime)
		defer cancel()
		go endsRounds(limited, first)
		began := time.Now()
		if late := last.bringFirst(limited, []string{"first", "second"}); !slices.Equal(late, []string{"second"}) || time.Since(began) != orderTime {
			t.Errorf("%v were late after %v", late, time.Since(began))
		}
		again, cancel := context.WithTimeout(t.Context(), orderTime)
		defer cancel()
		go endsRounds(again, first)
		go endsRounds(again, second)
		if late := last.bringFirst(again, []string{"first", "second"}); len(late) > 0 {
			t.Errorf("%v were late, and all had their rounds", late)
		}
	})
}

func TestWhatIsUrgentDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, last := three()
		limited, cancel := context.WithTimeout(t.Context(), orderTime)
		defer cancel()
		last.urgent <- struct{}{}
		if late := last.bringFirst(limited, []string{"first"}); !slices.Equal(late, []string{"first"}) || limited.Err() != nil {
			t.Errorf("%v were late, %v", late, limited.Err())
		}
	})
}
