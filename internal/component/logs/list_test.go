package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"gateway/internal/audit"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/journal"
	"gateway/internal/sys"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// rig has ten entries of the journal, one each two seconds, and ten audit entries between them.
func rig(t *testing.T, auditErr error) *handlers {
	t.Helper()
	return &handlers{
		searches: perAccount{most: 4, each: 2}, sources: sources([]daemon.Service{{Name: "dns", Component: "dns", Unit: "unbound.service"}, {Name: "packet-filter", Component: "firewall"}, {Name: "waf", Unit: "gateway-waf.service"}}), log: slog.New(slog.DiscardHandler),
		journal: &journal.Reader{Now: func() time.Time { return noon }, Lines: func(_ context.Context, c sys.Command, each func([]byte) error) error {
			from, limit := 0, 0
			for _, a := range c.Args {
				_, _ = fmt.Sscanf(a, "--after-cursor=s=%d", &from)
				_, _ = fmt.Sscanf(a, "--lines=%d", &limit)
			}
			for i := from + 1; i <= 10 && limit > 0; i, limit = i+1, limit-1 {
				line := fmt.Sprintf(`{"__CURSOR":"s=%d","__REALTIME_TIMESTAMP":"%d","_SYSTEMD_UNIT":"unbound.service","MESSAGE":"m%d"}`, i, noon.Add(-time.Duration(2*i)*time.Second).UnixMicro(), i)
				if err := each([]byte(line)); err != nil {
					return err
				}
			}
			return nil
		}},
		audit: func(_ context.Context, q audit.Query) (out []audit.Entry, err error) {
			for i := 1; i <= 10 && len(out) < q.Limit; i++ {
				at := noon.Add(-time.Duration(2*i+1) * time.Second)
				if q.Before == nil || at.Before(q.Before.CreatedAt) {
					out = append(out, audit.Entry{ID: fmt.Sprint("a", i), CreatedAt: at, Actor: "ann", Action: "user.create", Subject: fmt.Sprint("u", i), Seq: int64(100 - i)})
				}
			}
			return out, auditErr
		},
	}
}

func TestSourcesAreWhatRuns(t *testing.T) {
	var names []string
	for _, s := range rig(t, nil).sources {
		names = append(names, s.Name)
	}
	if want := []string{"dns", "tunnel", "journal", "audit"}; !slices.Equal(names, want) {
		t.Errorf("sources %v, want %v", names, want)
	}
}

func ids(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func TestBothLogsAreOnePageAfterTheOther(t *testing.T) {
	h := rig(t, nil)
	whole, err := h.list(t.Context(), &listInput{Limit: 30})
	if err != nil || len(whole.Body.Data.Entries) != 20 || whole.Body.Data.Next != "" {
		t.Fatalf("page = %+v (%v), want all 20", whole, err)
	}
	for _, size := range []int{1, 3, 7, 19} {
		var got []string
		in := &listInput{Limit: size}
		for {
			page, err := h.list(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ids(page.Body.Data.Entries)...)
			if in.Cursor = page.Body.Data.Next; in.Cursor == "" {
				break
			}
		}
		if want := ids(whole.Body.Data.Entries); !slices.Equal(got, want) {
			t.Errorf("by pages of %d: %v, want %v", size, got, want)
		}
	}
}

func TestTheJournalIsReadWithoutADatabase(t *testing.T) {
	page, err := rig(t, io.EOF).list(t.Context(), &listInput{Limit: 30})
	if err != nil || len(page.Body.Data.Entries) != 10 || !slices.Equal(page.Body.Data.LeftOut, []string{"audit"}) {
		t.Errorf("page = %+v (%v), want the journal alone and audit left out", page, err)
	}
}

func TestWhatIsNoSourceAndNoCursorIsRefused(t *testing.T) {
	h := rig(t, nil)
	for _, in := range []*listInput{{Sources: []string{"kernel"}}, {Cursor: "x y"}, {Cursor: position{Journal: "--file=/etc/shadow"}.String()}, {Text: "a\nb"}} {
		if _, err := h.list(t.Context(), in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v, want it refused", in, err)
		}
	}
	h.journal.Lines = func(context.Context, sys.Command, func([]byte) error) error { return errors.New("none") }
	if _, err := h.list(t.Context(), &listInput{Limit: 1}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("err = %v, want that the journal could not be read", err)
	}
}
