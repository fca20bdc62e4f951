package bundle

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"gateway/internal/component"
)

// errLate is for a file that did not come in time.
var errLate = errors.New("it did not answer in time")

// made is what came of a file.
type made struct {
	name string
	data []byte
	took time.Duration
	err  error
}

// read makes the files of all areas, several at the same time, and hands on each as it comes. The channel is closed when
// all are there, or soon after ctx has ended.
func (m Maker) read(ctx context.Context, get component.Get) <-chan made {
	out, todo := make(chan made), make(chan area)
	var workers sync.WaitGroup
	for range m.Limits.AtOnce {
		workers.Go(func() {
			for a := range todo {
				m.readArea(ctx, a, get, out)
			}
		})
	}
	go func() {
		defer close(out)
		for _, a := range m.areas() {
			todo <- a
		}
		close(todo)
		workers.Wait()
	}()
	return out
}

// readArea counts only the time that reading takes: a slow line is not the area's fault.
func (m Maker) readArea(ctx context.Context, a area, get component.Get, out chan<- made) {
	left := m.Limits.Area
	for _, s := range a.files {
		one := made{name: path.Join(a.folder, s.File)}
		start := time.Now()
		one.data, one.err = within(ctx, min(m.Limits.Source, left), s.Read, get)
		one.took = time.Since(start)
		left -= one.took
		select {
		case out <- one:
		case <-ctx.Done():
			return
		}
	}
}

// within waits for a file no longer than that, also for one that does not heed its context.
func within(ctx context.Context, limit time.Duration, read component.SupportRead, get component.Get) ([]byte, error) {
	if limit <= 0 {
		return nil, errLate
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan made, 1)
	go func() {
		var one made
		defer func() {
			if v := recover(); v != nil {
				one = made{err: fmt.Errorf("panic: %v", v)}
			}
			done <- one
		}()
		one.data, one.err = read(limited, get)
	}()
	select {
	case one := <-done:
		if one.err != nil && limited.Err() != nil {
			return nil, errLate
		}
		return one.data, one.err
	case <-limited.Done():
		return nil, errLate
	}
}
