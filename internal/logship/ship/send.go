package ship

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"gateway/internal/journal"
	"gateway/internal/logship"
)

const (
	// queue is how many entries are read ahead, and batch how many bytes are written at once: with the longest message
	// that is well below a megabyte.
	queue = 64
	batch = 32 << 10
	// together is how close two writes are that are remembered as one.
	together = 100 * time.Millisecond
	// storeEvery is how often it is stored how far lines arrived, at most.
	storeEvery = time.Second
	// skimTime is for the questions of skim; longer they take only where there is much to send.
	skimTime = 10 * time.Second
	// farewell is for the receiver to take the last lines when the sender is stopped.
	farewell = 2 * time.Second
)

// point is a cursor up to which everything was written, and when, by how many bytes of the connection.
type point struct {
	cursor       string
	oldest       time.Time // entry
	offset       int64
	begun, ended time.Time
}

// sending is a stream while it is connected.
type sending struct {
	*stream
	conn    *connection
	since   time.Time
	skip    string // the cursor of the entry that the receiver has already
	buffer  []byte
	points  []point // not arrived for sure
	arrived string  // the cursor up to which all did
	skimmed time.Time
}

// once connects and sends until something breaks, which it returns, or ctx ends.
func (s *stream) once(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.raw.Close()
	if err := s.look(ctx); err != nil {
		return err
	}
	from, skip := s.place.cursor()
	w := &sending{stream: s, conn: conn, since: time.Now(), skip: skip, arrived: s.place.Cursor}
	now := w.since.UTC()
	s.tell(func(t *logship.Stream) { t.ConnectedSince = &now })
	s.log.Info("connected", "receiver", s.Config.Address())
	return w.work(ctx, from)
}

func (w *sending) work(ctx context.Context, from string) error {
	life, end := context.WithCancelCause(ctx)
	var others sync.WaitGroup
	defer func() {
		end(nil)
		_ = w.conn.raw.Close() // which ends the one that listens
		others.Wait()
		if len(w.points) > 0 { // they are sent again
			w.tell(func(t *logship.Stream) { t.BehindSince = &w.points[0].oldest })
		}
	}()
	entries := make(chan journal.Entry, queue)
	others.Go(func() {
		err := w.journal.FollowFrom(life, w.query, from, func(e journal.Entry) error {
			select {
			case entries <- e:
				return nil
			case <-life.Done():
				return context.Cause(life)
			}
		})
		end(trouble{logship.NoJournal, errors.Join(errors.New("journalctl ended"), err)})
	})
	others.Go(func() { // a receiver says nothing, but for that it is gone
		for ignored := make([]byte, 512); ; {
			if _, err := w.conn.Read(ignored); err != nil {
				end(trouble{logship.Closed, err})
				return
			}
		}
	})
	tick := time.NewTicker(w.Timing.Tick)
	defer tick.Stop()
	for {
		select {
		case <-life.Done():
			if ctx.Err() != nil {
				w.leave()
			}
			return context.Cause(life)
		case e := <-entries:
			if err := w.write(e, entries); err != nil {
				return err
			}
		case <-tick.C:
			w.settle(time.Now(), w.Timing.Settle)
			if len(entries) == 0 {
				w.tell(func(t *logship.Stream) { t.BehindSince = nil })
				w.skim(life)
			}
		}
	}
}

// write sends an entry, and what else is there already.
func (w *sending) write(e journal.Entry, more <-chan journal.Entry) error {
	w.buffer = w.buffer[:0]
	p := point{oldest: e.At, begun: time.Now()}
	lines := w.add(e)
	for read := true; read && len(w.buffer) < batch; {
		select {
		case e = <-more:
			lines += w.add(e)
		default:
			read = false
		}
	}
	if lines > 0 {
		if err := w.conn.SetWriteDeadline(time.Now().Add(w.Timing.Stall)); err != nil {
			return trouble{logship.Closed, err}
		}
		if _, err := w.conn.Write(w.buffer); err != nil {
			what := logship.Closed
			if errors.Is(err, os.ErrDeadlineExceeded) {
				what = logship.Stalled
			}
			return trouble{what, err}
		}
	}
	p.cursor, p.offset, p.ended = e.Cursor, w.conn.raw.written.Load(), time.Now()
	w.note(p)
	w.report(e, lines)
	return nil
}

// add puts an entry into the buffer. The sender's own lines would beget others.
func (w *sending) add(e journal.Entry) int {
	if e.Cursor == w.skip || e.Unit == logship.Unit {
		return 0
	}
	w.buffer = logship.Line{
		At: e.At, Host: w.Host, Facility: e.Facility, Severity: e.Severity, Program: e.Identifier, PID: e.PID, Unit: e.Unit, Cursor: e.Cursor, Message: e.Message,
	}.Append(w.buffer)
	return 1
}

// note keeps a point; those of one moment are one.
func (w *sending) note(p point) {
	if n := len(w.points); n > 0 && p.ended.Sub(w.points[n-1].begun) < together {
		p.oldest, p.begun = w.points[n-1].oldest, w.points[n-1].begun
		w.points[n-1] = p
		return
	}
	w.points = append(w.points, p)
}

func (w *sending) report(last journal.Entry, lines int) {
	if lines == 0 {
		return
	}
	now := time.Now().UTC()
	w.tell(func(t *logship.Stream) {
		t.Sent += int64(lines)
		t.LastSentAt, t.SentUpTo, t.BehindSince = &now, &last.At, nil
		if now.Sub(last.At) > w.Timing.Late {
			t.BehindSince = &last.At
		}
	})
}

// settle finds what has arrived by now: acknowledged, and some time ago.
func (w *sending) settle(now time.Time, after time.Duration) {
	acknowledged := w.conn.raw.acknowledged()
	for len(w.points) > 0 && w.points[0].offset <= acknowledged && now.Sub(w.points[0].ended) >= after {
		w.arrived, w.points = w.points[0].cursor, w.points[1:]
	}
	if acknowledged == w.conn.raw.written.Load() && now.Sub(w.since) >= after {
		w.attempt = 0
		w.tell(func(t *logship.Stream) { t.AwaySince, t.Error = nil, logship.NoTrouble })
	}
	w.place.Cursor = w.arrived
	if w.saved != w.arrived && now.Sub(w.stored) >= min(storeEvery, after) {
		w.remember()
	}
}

// skim goes on to the newest entry where none that is to be sent lies before it. Else the place would stay behind where little is
// sent: entries of others that journald removes would be told as lost, and those of a unit that is added later be sent, however old.
func (w *sending) skim(ctx context.Context) {
	now := time.Now()
	if len(w.points) > 0 || w.arrived == "" || strings.HasSuffix(w.arrived, inclusive) || now.Sub(w.stored) < w.Timing.Skim || now.Sub(w.skimmed) < w.Timing.Skim {
		return
	}
	w.skimmed = now
	ctx, cancel := context.WithTimeout(ctx, skimTime)
	defer cancel()
	newest, found, err := w.journal.Newest(ctx, w.query.Namespace) // first: what is written meanwhile is newer
	if err != nil || !found || newest.Cursor == w.arrived {
		return
	}
	if waits, err := w.journal.Waits(ctx, w.query, w.arrived); err != nil || waits {
		return
	}
	w.arrived, w.place.Cursor = newest.Cursor, newest.Cursor
	w.remember()
}

// leave gives the receiver what was written, and remembers what it took. After a proper end of the connection it reads the rest.
func (w *sending) leave() {
	_ = w.conn.SetWriteDeadline(time.Now().Add(farewell))
	_ = w.conn.CloseWrite()
	for end := time.Now().Add(farewell); time.Now().Before(end) && w.conn.raw.acknowledged() < w.conn.raw.written.Load(); {
		<-time.After(20 * time.Millisecond)
	}
	w.settle(time.Now(), 0)
	w.remember()
}
