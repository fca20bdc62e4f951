package graphs

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/singleflight"

	"gateway/internal/component"
)

const (
	// readTime is how long a component may take to read its values. One that takes longer has none
	// at this moment, and delays nobody else.
	readTime = 3 * time.Second
	// lateTime is what one that heeds no deadline has more.
	lateTime = 500 * time.Millisecond
)

// source is what one component measures.
type source struct {
	name string
	component.Values
	flight singleflight.Group
	said   string // what was last logged of it
}

// look is what one of them had at a moment.
type look struct {
	source   *source
	at       time.Time
	readings []component.Reading
	err      error
}

func sourcesOf(list []component.Component) (out []*source) {
	for _, c := range list {
		if c.Values.Read != nil {
			out = append(out, &source{name: c.Name, Values: c.Values})
		}
	}
	return out
}

// look reads all of them at once.
func (h *handlers) look(ctx context.Context) []look {
	asked := make([]<-chan singleflight.Result, len(h.sources))
	for i, s := range h.sources {
		asked[i] = s.ask(ctx)
	}
	late, stop := context.WithTimeout(ctx, readTime+lateTime)
	defer stop()
	out := make([]look, len(asked))
	for i, s := range h.sources {
		out[i] = answered(late, s, asked[i])
	}
	return out
}

// answered is what came in time.
func answered(late context.Context, s *source, asked <-chan singleflight.Result) look {
	l := look{source: s, err: context.DeadlineExceeded}
	select {
	case r := <-asked:
		l, _ = r.Val.(look)
		return l
	case <-late.Done():
	}
	select {
	case r := <-asked: // it came while another was waited for
		l, _ = r.Val.(look)
	default:
	}
	return l
}

// ask reads it. Who asks meanwhile gets the same answer, so that one that hangs is asked once.
func (s *source) ask(ctx context.Context) <-chan singleflight.Result {
	return s.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
		defer cancel()
		return s.look(ctx), nil
	})
}

func (s *source) look(ctx context.Context) (l look) {
	defer func() {
		if p := recover(); p != nil { // one component's mistake must not end the process
			l = look{source: s, err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	readings, err := s.Read(ctx)
	return look{source: s, at: time.Now(), readings: readings, err: err}
}
