package logs

import (
	"context"
	"slices"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/journal"
)

// Entry is one line of a log.
type Entry struct {
	ID      string    `json:"id" doc:"The same whenever the entry is read"`
	At      time.Time `json:"at" doc:"When it was written, in UTC"`
	Source  string    `json:"source" example:"dns" doc:"The source, as in GET /logs/sources; the unit for an entry of another one"`
	Level   string    `json:"level" enum:"debug,info,warn,error" doc:"How bad it is"`
	Program string    `json:"program" doc:"What the program calls itself; for an audit entry who did it"`
	PID     int       `json:"pid" doc:"Process id; 0 for an audit entry"`
	Message string    `json:"message" doc:"The text without control characters; of one longer than 4 KiB, that it is"`

	place position // where the page after it goes on
}

// Page is a page of entries.
type Page struct {
	Entries       []Entry    `json:"entries" doc:"The entries, newest first"`
	Next          string     `json:"next" doc:"Send it as cursor for older entries; empty at the end"`
	SearchedSince *time.Time `json:"searched_since" doc:"How far back a search for text has come so far; null when it is complete"`
	LeftOut       []string   `json:"left_out" doc:"Sources that could not be read now: the audit log while the database is away"`
}

type listInput struct {
	Sources []string  `query:"sources" maxItems:"50" doc:"Sources, separated by commas; all but the access log if left out"`
	Level   string    `query:"level" enum:"debug,info,warn,error" default:"debug" doc:"This level and worse"`
	Text    string    `query:"q" maxLength:"200" doc:"Text anywhere in the message, case-insensitively"`
	Since   time.Time `query:"since" doc:"Not before this time"`
	Until   time.Time `query:"until" doc:"Not after this time"`
	Cursor  string    `query:"cursor" maxLength:"1000" doc:"next of the page before"`
	Limit   int       `query:"limit" default:"200" minimum:"1" maximum:"1000" doc:"Maximum number of entries to return"`
}

func (h *handlers) list(ctx context.Context, in *listInput) (*api.Body[Page], error) {
	chosen, err := h.chosen(in.Sources)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(in.Text, "\x00\n") {
		return nil, fault.At("q", "must be one line")
	}
	from, err := parsePosition(in.Cursor)
	if err != nil {
		return nil, err
	}
	leave, err := h.searches.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	page := Page{Entries: []Entry{}, LeftOut: []string{}}
	entries, searched, err := h.written(ctx, in, chosen, from)
	if err != nil {
		return nil, failed(err)
	}
	if slices.ContainsFunc(chosen, func(s Source) bool { return s.Name == auditSource }) {
		entries = append(entries, h.audited(ctx, in, from, searched, &page)...)
	}
	page.fill(entries, searched, from, in.Limit)
	return api.OK(page), nil
}

// written are the entries of the journals. A search for text may come further back in one of them
// than in another: what is older than where the last one stopped waits for the next page.
func (h *handlers) written(ctx context.Context, in *listInput, chosen []Source, from position) (out []Entry, searched time.Time, err error) {
	for _, j := range journals(chosen) {
		found, err := h.journal.Read(ctx, in.query(j, from))
		if err != nil {
			return nil, searched, err
		}
		out = append(out, h.named(found.Entries)...)
		if found.Searched.After(searched) {
			searched = found.Searched
		}
	}
	return upTo(out, searched), searched, nil
}

// upTo are the entries that are not older than where a search stopped.
func upTo(entries []Entry, searched time.Time) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.At.Before(searched) })
}

func (in *listInput) query(j unitsOf, from position) journal.Query {
	return journal.Query{
		Namespace: j.namespace, Units: j.units, Level: journal.Level(in.Level), Text: in.Text, Since: in.Since,
		Until: earlier(in.Until, from.Until), After: from.cursor(j.namespace), Limit: in.Limit + 1, // one more tells whether there is a next page
	}
}

func (h *handlers) named(entries []journal.Entry) []Entry {
	out := make([]Entry, len(entries))
	for i, e := range entries {
		out[i] = h.entry(e)
	}
	return out
}

func (h *handlers) entry(e journal.Entry) Entry {
	return Entry{
		ID: e.Cursor, At: e.At, Source: h.sourceOf(e), Level: string(e.Level), Program: e.Identifier, PID: e.PID, Message: e.Message,
		place: positionIn(e.Namespace, e.Cursor),
	}
}

// auditTime bounds what is asked of the database, so that the journal is shown while it hangs.
const auditTime = 3 * time.Second

// audited are the entries of the audit log. While the database is away they are missing, and
// the page says so: the journal is needed most just then.
func (h *handlers) audited(ctx context.Context, in *listInput, from position, searched time.Time, page *Page) []Entry {
	if level := journal.Level(in.Level); level == journal.Warn || level == journal.Error {
		return nil // they are all info
	}
	since := in.Since
	if searched.After(since) {
		since = searched // the rest waits for the journal
	}
	q := audit.Query{Text: in.Text, Since: since, Until: earlier(in.Until, from.Until), Limit: in.Limit + 1}
	if !from.AuditAt.IsZero() {
		q.Before = &audit.Cursor{CreatedAt: from.AuditAt, Seq: from.AuditSeq}
	}
	ctx, cancel := context.WithTimeout(ctx, auditTime)
	defer cancel()
	found, err := h.audit(ctx, q)
	if err != nil {
		if !db.Unavailable(err) {
			h.log.Error("read audit entries for the logs", "err", err)
		}
		page.LeftOut = append(page.LeftOut, auditSource)
		return nil
	}
	out := make([]Entry, len(found))
	for i, e := range found {
		out[i] = Entry{
			ID: e.ID, At: e.CreatedAt, Source: auditSource, Level: string(journal.Info), Program: e.Actor,
			Message: strings.TrimSpace(e.Action + " " + e.Subject), place: position{AuditAt: e.CreatedAt, AuditSeq: e.Seq},
		}
	}
	return out
}

// fill takes the newest entries, and says where the next page goes on.
func (p *Page) fill(entries []Entry, searched time.Time, from position, limit int) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return b.At.Compare(a.At) })
	more := len(entries) > limit
	p.Entries = append(p.Entries, entries[:min(limit, len(entries))]...)
	next := from
	for _, e := range p.Entries {
		next = next.after(e.place)
	}
	switch {
	case more:
		p.Next = next.String()
	case !searched.IsZero():
		p.SearchedSince = &searched
		p.Next = position{Until: searched.Add(-time.Microsecond), AuditAt: next.AuditAt, AuditSeq: next.AuditSeq}.String()
	}
}

// earlier is the end of a range, of which either may be open.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
