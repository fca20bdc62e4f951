package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"gateway/internal/journal"
	"gateway/internal/logship"
)

// stream is one journal on its way to the receiver.
type stream struct {
	Options
	journal *journal.Reader
	query   journal.Query
	file    string
	log     *slog.Logger

	place   place
	saved   string    // the cursor that was last written to the file,
	stored  time.Time // and when
	attempt int       // since lines arrived

	mu   sync.Mutex
	told logship.Stream
}

// place is how far the receiver has the journal, as it is remembered.
type place struct {
	Known  bool       `json:"known"` // else it begins with what is written from now on
	Cursor string     `json:"cursor"`
	Lost   int64      `json:"lost"`
	LostAt *time.Time `json:"lost_at"`
}

func (s *stream) status() logship.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told
}

func (s *stream) tell(change func(t *logship.Stream)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.told)
}

// run tries for as long as ctx lasts.
func (s *stream) run(ctx context.Context) {
	s.recall()
	for {
		err := s.once(ctx)
		if ctx.Err() != nil {
			return
		}
		s.fell(err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.wait()):
		}
	}
}

// wait is twice as long each time, and never the same for two senders.
func (s *stream) wait() time.Duration {
	d := s.Timing.Most
	if s.attempt < 16 {
		d = min(d, s.Timing.First<<s.attempt)
	}
	s.attempt++
	return d/2 + rand.N(d/2+1)
}

// fell notes that no lines arrive, and says why, once for each reason.
func (s *stream) fell(err error) {
	was := s.status()
	why := troubleOf(err)
	if was.ConnectedSince != nil || was.Error != why {
		s.log.Warn("lines are not sent", "receiver", s.Config.Address(), "why", string(why), "err", err)
	}
	now := time.Now().UTC()
	s.tell(func(t *logship.Stream) {
		t.ConnectedSince, t.Error = nil, why
		if t.AwaySince == nil {
			t.AwaySince = &now
		}
	})
}

// recall reads how far it came. A file that cannot be read is none.
func (s *stream) recall() {
	data, err := os.ReadFile(s.file)
	if err == nil {
		err = json.Unmarshal(data, &s.place)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Error("read how far lines were sent; those written before now are skipped", "err", err)
		s.place = place{}
	}
	s.tell(func(t *logship.Stream) { t.Lost, t.LostAt = s.place.Lost, s.place.LostAt })
}

// remember stores how far it came. An error costs no line: at worst some are sent twice.
func (s *stream) remember() {
	s.saved, s.stored = s.place.Cursor, time.Now()
	if err := logship.WriteFile(s.file, s.place, 0o600, true); err != nil {
		s.log.Error("store how far lines were sent", "err", err)
	}
}

// begin finds where to go on: what is written from the first start on is to arrive, also while the receiver is away.
func (s *stream) begin(ctx context.Context) error {
	if s.place.Known {
		return nil
	}
	newest, _, err := s.journal.Newest(ctx, s.query.Namespace)
	if err != nil {
		return trouble{logship.NoJournal, err}
	}
	s.place.Known, s.place.Cursor = true, newest.Cursor // none where the journal is empty: then all of it is new
	s.remember()
	return nil
}

// look finds out whether journald removed entries that were not sent yet.
func (s *stream) look(ctx context.Context) error {
	if s.place.Cursor == "" {
		return nil
	}
	from, _ := s.place.cursor()
	next, found, err := s.journal.At(ctx, s.query.Namespace, from)
	if err == nil && !found { // nothing there is as new as what was sent: it is another journal
		next, found, err = s.journal.Newest(ctx, s.query.Namespace)
	}
	if err == nil && !found {
		err = errors.New("the journal has no entry")
	}
	if err != nil {
		return trouble{logship.NoJournal, err}
	}
	lost := between(from, next.Cursor)
	if lost == 0 {
		return nil
	}
	now := time.Now().UTC()
	s.place.Cursor, s.place.Lost, s.place.LostAt = before(next.Cursor), s.place.Lost+lost, &now
	s.log.Warn("the journal was rotated before its entries were sent", "entries", lost)
	s.tell(func(t *logship.Stream) { t.Lost, t.LostAt = s.place.Lost, s.place.LostAt })
	s.remember()
	return nil
}

// before is the cursor of an entry, marked so that the entry itself is sent too.
func before(cursor string) string { return cursor + inclusive }

// inclusive is no part of a cursor of journald's.
const inclusive = "+"

// cursor is what journalctl begins with, and skip the one that was sent already.
func (p place) cursor() (from, skip string) {
	if from, whole := strings.CutSuffix(p.Cursor, inclusive); whole {
		return from, ""
	}
	return p.Cursor, p.Cursor
}

// between is how many entries lie between that of one cursor, which was sent, and the first that is there; 0 where that
// is the same one or its successor. Journald numbers all entries in a row (i), by a sequence of its own (s).
func between(sent, there string) int64 {
	if sent == there {
		return 0
	}
	a, b := numbers(sent), numbers(there)
	if a.sequence == "" || a.sequence != b.sequence || b.number <= a.number {
		return 1 // another sequence: nobody knows how many
	}
	return b.number - a.number - 1
}

type numbered struct {
	sequence string
	number   int64
}

func numbers(cursor string) (n numbered) {
	for part := range strings.SplitSeq(cursor, ";") {
		name, v, _ := strings.Cut(part, "=")
		switch name {
		case "s":
			n.sequence = v
		case "i":
			n.number, _ = strconv.ParseInt(v, 16, 64)
		}
	}
	return n
}

// trouble is an error with what operators are told of it.
type trouble struct {
	what logship.Trouble
	err  error
}

func (t trouble) Error() string { return fmt.Sprintf("%s: %v", t.what, t.err) }
func (t trouble) Unwrap() error { return t.err }

func troubleOf(err error) logship.Trouble {
	var t trouble
	if errors.As(err, &t) {
		return t.what
	}
	return logship.Closed
}
