package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/sys"
	"gateway/lab"
	"gateway/lab/journaltest"
)

// A page goes on after the one before, to the first entry, and each is on one of them: with a text, through all the windows,
// and within a range of time.
func TestPagesGoOnToTheEnd(t *testing.T) {
	const all = 5 * 24 * 6 // one every ten minutes, for five days, and two at a time
	first := noon.Add(-all * 10 * time.Minute)
	entries := make([]journaltest.Entry, all)
	for i := range entries {
		entries[i] = journaltest.Entry{At: first.Add(time.Duration(i/2) * 20 * time.Minute), Fields: []string{fmt.Sprintf("MESSAGE=error %d", i), "PRIORITY=3"}}
	}
	file := filepath.Join(t.TempDir(), "system.journal")
	if err := journaltest.Write(file, [16]byte{1}, 1, entries); err != nil {
		t.Fatal(err)
	}
	r := &Reader{Now: func() time.Time { return noon }, Lines: func(ctx context.Context, c sys.Command, each func([]byte) error) error {
		argv := lab.InRoot(t, "", append([]string{c.Path, "--file=" + file}, c.Args...)...)
		return sys.Lines(ctx, sys.Command{Path: "/usr/bin/" + argv[0], Args: argv[1:]}, each)
	}}
	for name, tc := range map[string]struct {
		q    Query
		want int
	}{
		"all":             {Query{}, all},
		"a text":          {Query{Text: "ERROR"}, all},
		"a range":         {Query{Since: noon.Add(-48 * time.Hour)}, 288},
		"a text, a range": {Query{Text: "error", Since: noon.Add(-48 * time.Hour), Until: noon.Add(-24 * time.Hour)}, 146},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]int{}
			for q := &tc.q; q != nil; {
				q.Limit = 51
				page, err := r.Read(t.Context(), *q)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range page.Entries {
					if seen[e.Message]++; seen[e.Message] > 1 {
						t.Fatalf("%s is there twice", e.Message)
					}
				}
				switch {
				case len(page.Entries) == q.Limit:
					q.After = page.Entries[q.Limit-1].Cursor
				case !page.Searched.IsZero(): // the time was over
					q.After, q.Until = "", page.Searched.Add(-time.Microsecond)
				default:
					q = nil
				}
			}
			if len(seen) != tc.want {
				t.Errorf("%d entries were found, want %d", len(seen), tc.want)
			}
		})
	}
}
