package e2e

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

type journalEntry struct {
	ID, Source, Level, Message string
	At                         time.Time
}

type journalPage struct {
	Entries       []journalEntry
	Next          string
	SearchedSince *time.Time `json:"searched_since"`
	LeftOut       []string   `json:"left_out"`
}

func (c *caller) logs(query url.Values) (page journalPage) {
	c.t.Helper()
	c.get("/logs?" + query.Encode()).want(200).decode(&page)
	return page
}

// What the services wrote, read by the installed product from the journal of a node.
//
// shows LOG-01, LOG-02, LOG-03, LOG-04*, LOG-05
func TestTheLogsOfANode(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	var sources []struct{ Name, Unit, Title string }
	c.get("/logs/sources").want(200).decode(&sources)
	names := map[string]bool{}
	for _, s := range sources {
		names[s.Name] = true
	}
	for _, want := range []string{"api", "scheduler", "reverse-proxy", "forward-proxy", "dns", "ntp", "tunnel", "journal", "audit"} {
		if !names[want] {
			t.Errorf("%s is not among the sources %v", want, sources)
		}
	}
	before := time.Now().Add(-time.Second)
	live := c.socket("/logs/live?sources=ntp", nil)
	a.sh("systemctl restart chrony")
	after := time.Now().Add(time.Second)
	a.eventually(10*time.Second, "the restart is in the log", func() bool {
		return len(c.logs(url.Values{"sources": {"ntp"}, "since": {before.UTC().Format(time.RFC3339)}}).Entries) > 2
	})
	inTime := url.Values{"sources": {"ntp"}, "since": {before.UTC().Format(time.RFC3339Nano)}, "until": {after.UTC().Format(time.RFC3339Nano)}}
	all := c.logs(inTime)
	for _, e := range all.Entries {
		if e.Source != "ntp" || e.At.Before(before) || e.At.After(after) {
			t.Errorf("%+v is not of the clock between %v and %v", e, before, after)
		}
	}
	if !slices.IsSortedFunc(all.Entries, func(x, y journalEntry) int { return y.At.Compare(x.At) }) {
		t.Errorf("not newest first: %+v", all.Entries)
	}

	a.logsByText(c)
	a.logsByLevel(c)
	a.logPages(c)
	c.get("/logs?limit=1001").want(400)
	c.get("/logs?level=loud").want(400)
	c.get("/logs?sources=dns,kernel").want(400)
	c.get("/logs?cursor=bm9uZQ").want(400)

	_, data, err := live.Read(t.Context())
	var heard journalEntry
	if err != nil || json.Unmarshal(data, &heard) != nil || heard.Source != "ntp" || heard.At.Before(before) {
		t.Errorf("the stream said %s (%v), want what chrony wrote", data, err)
	}
}

func (a *appliance) logsByText(c *caller) {
	a.t.Helper()
	found := c.logs(url.Values{"q": {"CHRONYD"}, "limit": {"50"}})
	if len(found.Entries) == 0 {
		a.t.Error("no entry has chronyd in it")
	}
	for _, e := range found.Entries {
		if !strings.Contains(strings.ToLower(e.Message), "chronyd") {
			a.t.Errorf("%q does not have the text", e.Message)
		}
	}
	// Text is text: as a pattern this would match everything.
	if odd := c.logs(url.Values{"q": {"c.*(d|"}}); len(odd.Entries) != 0 || odd.Next != "" || odd.SearchedSince != nil {
		a.t.Errorf("%d entries match what nobody wrote (%+v)", len(odd.Entries), odd)
	}
}

func (a *appliance) logsByLevel(c *caller) {
	a.t.Helper()
	seen := map[string]bool{}
	for _, e := range c.logs(url.Values{"limit": {"1000"}}).Entries {
		seen[e.Level] = true
	}
	if !seen["info"] {
		a.t.Errorf("levels %v, want info among them", seen)
	}
	for level, allowed := range map[string][]string{"warn": {"warn", "error"}, "error": {"error"}} {
		for _, e := range c.logs(url.Values{"level": {level}, "limit": {"500"}}).Entries {
			if !slices.Contains(allowed, e.Level) {
				a.t.Errorf("from %s on there is %+v", level, e)
			}
		}
	}
}

// logPages reads both logs page by page, and has what one large page has.
func (a *appliance) logPages(c *caller) {
	a.t.Helper()
	query := url.Values{"until": {time.Now().UTC().Format(time.RFC3339Nano)}, "limit": {"60"}}
	want := c.logs(query)
	if len(want.Entries) != 60 || want.Next == "" {
		a.t.Fatalf("%d entries and next %q, want 60 and more", len(want.Entries), want.Next)
	}
	query.Set("limit", "7")
	var got []journalEntry
	for len(got) < 60 {
		page := c.logs(query)
		if got = append(got, page.Entries...); page.Next == "" || len(page.Entries) != 7 {
			a.t.Fatalf("after %d entries there are %d with next %q", len(got), len(page.Entries), page.Next)
		}
		query.Set("cursor", page.Next)
	}
	for i, e := range want.Entries {
		if got[i].ID != e.ID {
			a.t.Fatalf("entry %d is %+v by pages and %+v at once", i, got[i], e)
		}
	}
	if !slices.ContainsFunc(want.Entries, func(e journalEntry) bool { return e.Source == "audit" }) {
		a.t.Log("no audit entry is among the last 60")
	}
}
