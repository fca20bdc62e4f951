// Package journal reads systemd's journal, by journalctl: the library for it needs C. It
// reads newest first, since forward reading by time fails where a clock was set back.
package journal

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"gateway/internal/sys"
)

const program = "/usr/bin/journalctl"

// Query says which entries are wanted. Empty fields do not narrow it.
type Query struct {
	// Namespace is the journal they are in; empty for the one that all units write to by default.
	Namespace string
	Units     []string
	Level     Level  // this one and worse
	Text      string // anywhere in the message, ignoring case
	Since     time.Time
	Until     time.Time
	// After is the cursor of the last entry of the page before.
	After string
	Limit int
}

// Page is what a query found, newest first.
type Page struct {
	Entries []Entry
	// Searched is how far back was looked; zero when that was to the beginning of the journal
	// or of the query, or to the last of Limit entries.
	Searched time.Time
}

// Lines is sys.Lines as a value.
type Lines func(ctx context.Context, c sys.Command, each func(line []byte) error) error

// Reader reads the journal of this machine.
type Reader struct {
	Lines Lines
	Now   func() time.Time
}

// searchTime is how long one search for text may take: a person waits, and asks for more.
const searchTime = 4 * time.Second

// windows are how far back a search for text looks, step by step: a text that is nowhere
// costs seconds per gigabyte, and is mostly looked for in the last hours.
var windows = []time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour, 4 * 24 * time.Hour, 16 * 24 * time.Hour, 64 * 24 * time.Hour}

// Read returns the newest entries that match.
func (r *Reader) Read(ctx context.Context, q Query) (Page, error) {
	if q.Text == "" {
		entries, err := r.list(ctx, q)
		return Page{Entries: entries}, err
	}
	return r.search(ctx, q)
}

// search looks for text window by window, until there is enough or the time is over. It always
// ends a window that it began with, so that asking again goes further.
func (r *Reader) search(ctx context.Context, q Query) (Page, error) {
	var page Page
	late := time.Now().Add(searchTime)
	until := q.Until
	if until.IsZero() {
		until = r.Now()
	}
	// The first window is the one with the cursor in it: in the next ones it is not looked for.
	if at, ok := written(q.After); ok && at.Before(until) {
		until = at
	}
	oldest, err := r.oldest(ctx, q.Namespace)
	if err != nil {
		return page, err
	}
	if q.Since.After(oldest) {
		oldest = q.Since
	}
	for i := 0; ; i++ {
		since := oldest
		if i < len(windows) {
			since = until.Add(-windows[i])
		}
		last := !since.After(oldest)
		if last {
			since = oldest
		}
		part := q
		part.Since, part.Until, part.Limit = since, until, q.Limit-len(page.Entries)
		found, err := r.list(ctx, part)
		if err != nil {
			return page, err
		}
		page.Entries = append(page.Entries, found...)
		if last || len(page.Entries) >= q.Limit {
			return page, nil
		}
		// One microsecond earlier, the journal's own precision: both ends belong to a window.
		if until = since.Add(-time.Microsecond); time.Now().After(late) {
			page.Searched = since
			return page, nil
		}
		q.After = "" // it lies in the window that is done
	}
}

// written is when the entry of a cursor was, which is the part t of it, in microseconds.
func written(cursor string) (at time.Time, ok bool) {
	for part := range strings.SplitSeq(cursor, ";") {
		if t, found := strings.CutPrefix(part, "t="); found {
			us, err := strconv.ParseInt(t, 16, 64)
			return time.UnixMicro(us), err == nil
		}
	}
	return time.Time{}, false
}

// oldest is when the first entry was written; now, when there is none.
func (r *Reader) oldest(ctx context.Context, namespace string) (time.Time, error) {
	at := r.Now()
	err := r.Lines(ctx, command(namespace, "--lines=+1"), func(line []byte) error {
		e, ok := parse(line)
		if ok {
			at = e.At
		}
		return nil
	})
	return at, known(err)
}

func (r *Reader) list(ctx context.Context, q Query) ([]Entry, error) {
	p := pageAfter{q: q, passed: !q.byTime()}
	err := r.Lines(ctx, command(q.Namespace, q.args()...), func(line []byte) error {
		e, ok := parse(line)
		if !ok {
			return nil
		}
		e.Namespace = q.Namespace
		return p.add(e)
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return p.entries(), known(err)
}

// pageAfter is a page that goes on after a cursor.
type pageAfter struct {
	q      Query
	out    []Entry
	passed bool    // the cursor is behind us
	same   []Entry // of its microsecond, read before it: they were on the page before, if it comes
}

func (p *pageAfter) add(e Entry) error {
	if at, _ := written(p.q.After); !p.passed && e.At.Equal(at) {
		p.same = append(p.same, e)
		if e.Cursor == p.q.After {
			p.passed, p.same = true, nil
		}
		return nil
	}
	p.passed = true
	p.out = append(p.entries(), e)
	if p.q.byTime() && len(p.out) >= p.q.Limit {
		return errEnough
	}
	return nil
}

// entries are those of the page, also where the cursor's own entry is gone.
func (p *pageAfter) entries() []Entry {
	p.out, p.same = append(p.out, p.same...), nil
	if p.q.byTime() && len(p.out) > p.q.Limit { // journalctl counts the others
		p.out = p.out[:p.q.Limit]
	}
	return p.out
}

// Follow hands on each entry as it is written, from now on.
func (r *Reader) Follow(ctx context.Context, q Query, each func(Entry) error) error {
	return r.follow(ctx, q, each, "--lines=0")
}

func (r *Reader) follow(ctx context.Context, q Query, each func(Entry) error, from ...string) error {
	args := append(append(q.filters(), "--follow"), from...)
	return known(r.Lines(ctx, command(q.Namespace, args...), func(line []byte) error {
		if e, ok := parse(line); ok {
			e.Namespace = q.Namespace
			return each(e)
		}
		return nil
	}))
}

// FollowFrom hands on each entry from a cursor on, the one at it too where that matches and is still there, and then each as
// it is written. Without a cursor it begins with the oldest. A cursor after which to begin would not do: journalctl
// leaves out one more where the entry at it is gone, or does not match.
func (r *Reader) FollowFrom(ctx context.Context, q Query, cursor string, each func(Entry) error) error {
	from := []string{"--no-tail", "--merge"} // by itself it would follow this boot alone
	if cursor != "" {
		from = append(from, "--cursor="+cursor)
	}
	return r.follow(ctx, q, each, from...)
}

// errEnough ends journalctl after the entry that was wanted.
var errEnough = errors.New("enough")

// At is the entry at a cursor, or the next one that is there; whether it is the one at the cursor its own cursor tells.
func (r *Reader) At(ctx context.Context, namespace, cursor string) (e Entry, found bool, err error) {
	return r.first(ctx, namespace, "", "--cursor="+cursor)
}

// Newest is the last entry of a journal.
func (r *Reader) Newest(ctx context.Context, namespace string) (e Entry, found bool, err error) {
	return r.first(ctx, namespace, "", "--lines=1")
}

// Waits reports whether any entry that matches was written since the one at a cursor.
func (r *Reader) Waits(ctx context.Context, q Query, cursor string) (waits bool, err error) {
	_, waits, err = r.first(ctx, q.Namespace, cursor, append(q.filters(), "--cursor="+cursor)...)
	return waits, err
}

// first is the first entry that journalctl tells but the one at a cursor.
func (r *Reader) first(ctx context.Context, namespace, but string, args ...string) (e Entry, found bool, err error) {
	err = r.Lines(ctx, command(namespace, args...), func(line []byte) error {
		if e, found = parse(line); found && e.Cursor == but {
			found = false
		}
		if found {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return e, found, known(err)
}

// known forgives an exit status without a word: journalctl ends so when it found nothing.
func known(err error) error {
	var exit *sys.ExitError
	if errors.As(err, &exit) && exit.Code == 1 && (exit.Stderr == "" || strings.Contains(exit.Stderr, "No entries")) {
		return nil
	}
	return err
}

func command(namespace string, args ...string) sys.Command {
	fixed := []string{
		"--no-pager", "--quiet", "--utc", "--output=json",
		"--output-fields=MESSAGE,PRIORITY,SYSLOG_FACILITY,SYSLOG_IDENTIFIER,_PID,_SYSTEMD_UNIT,UNIT",
	}
	if namespace != "" {
		fixed = append(fixed, "--namespace="+namespace)
	}
	return sys.Command{Path: program, Args: append(fixed, args...)}
}

// byTime reports whether the page after a cursor is found by its time: journalctl takes the beginning of a range or a cursor,
// and not both.
func (q Query) byTime() bool { return q.After != "" && !q.Since.IsZero() }

func (q Query) args() []string {
	args := append(q.filters(), "--reverse")
	if q.byTime() { // how many of them are of the page before nobody knows
		if at, ok := written(q.After); ok && (q.Until.IsZero() || at.Before(q.Until)) {
			q.Until = at
		}
	} else {
		args = append(args, "--lines="+strconv.Itoa(q.Limit))
	}
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			args = append(args, "--"+name+"=@"+seconds(at))
		}
	}
	if q.After != "" && !q.byTime() {
		args = append(args, "--after-cursor="+q.After)
	}
	return args
}

// filters are the same for a page and for following.
func (q Query) filters() []string {
	var args []string
	for _, unit := range q.Units {
		args = append(args, "--unit="+unit)
	}
	if p, ok := priorities[q.Level]; ok {
		args = append(args, "--priority="+p)
	}
	if q.Text != "" {
		args = append(args, "--case-sensitive=no", "--grep="+literally(q.Text))
	}
	return args
}

// literally is the pattern that matches the text itself and nothing else.
func literally(text string) string {
	return `\Q` + strings.ReplaceAll(text, `\E`, `\E\\E\Q`) + `\E`
}

func seconds(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMicro())/1e6, 'f', 6, 64)
}
