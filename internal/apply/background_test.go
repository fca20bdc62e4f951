package apply

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gateway/internal/daemon"
)

// A side job that fails takes neither its own daemon down nor the others, and one that ends with
// the process is no failure: systemd would tell of a service that failed whenever it is stopped.
func TestABackgroundJobThatFailsIsBegunAgain(t *testing.T) {
	t.Parallel()
	begun := make(chan int, 8)
	n := 0
	r := newRig(t, daemon.Daemon{
		Config: daemon.Config{Name: "shade", Source: daemon.Steps[[]string]{Load: loadLamps, Render: func([]string) (daemon.Rendering, error) { return daemon.Rendering{}, nil }}},
		Background: func(ctx context.Context, _ func()) error {
			n++
			begun <- n
			if n == 1 {
				return errors.New("the disk is full")
			}
			<-ctx.Done()
			return ctx.Err()
		},
	})
	for want := range 2 {
		select {
		case got := <-begun:
			if got != want+1 {
				t.Fatalf("begun %d times, want %d", got, want+1)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("not begun %d times", want+1)
		}
	}
	if all := strings.Join(r.log.lines(), ""); !strings.Contains(all, "the disk is full") {
		t.Errorf("nobody was told: %s", all)
	}
	r.stop()
	ctx, cancel := context.WithCancel(r.ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := r.engine.Run(ctx); err != nil {
		t.Errorf("stopped on request it ends with %v", err)
	}
}
