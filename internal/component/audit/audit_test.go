package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/apptest"
)

type entry struct {
	ID        string
	CreatedAt string `json:"created_at"`
	Actor     string
	Action    string
	Subject   string
	NodeID    string `json:"node_id"`
	Seq       int64
}

// shows AUDIT-02, AUDIT-04
func TestRecentEntries(t *testing.T) {
	a, admin := apptest.Ready(t)
	a.Viewer(admin, "v@example.com")
	var entries []entry
	admin.Get("/audit/recent?limit=2").Want(http.StatusOK).Data(&entries)
	if len(entries) != 2 || entries[0].Action != "auth.login.success" || entries[1].Action != "user.create" {
		t.Fatalf("entries = %+v, want the two latest, newest first", entries)
	}
	e := entries[1]
	if e.ID == "" || e.Actor != apptest.Email || e.Subject != "v@example.com" || e.NodeID == "" {
		t.Errorf("entry = %+v", e)
	}
	// A build machine may have none; a node always has, and the story of a node asks there.
	if machine, err := os.ReadFile("/etc/machine-id"); err == nil && e.NodeID != strings.TrimSpace(string(machine)) {
		t.Errorf("node = %q, want the machine id", e.NodeID)
	}
	if _, err := time.Parse(time.RFC3339Nano, e.CreatedAt); err != nil {
		t.Error(err)
	}
}

func TestSearchPagesOn(t *testing.T) {
	a, admin := apptest.Ready(t)
	for range 5 {
		a.SignIn(apptest.Email, apptest.Password)
	}
	var first, second []entry
	admin.Get("/audit/search?action=LOGIN.SUCC&limit=4").Want(http.StatusOK).Data(&first)
	last := first[len(first)-1]
	admin.Get(fmt.Sprintf("/audit/search?action=login.succ&limit=4&before=%s&before_seq=%d", last.CreatedAt, last.Seq)).Want(http.StatusOK).Data(&second)
	if len(first) != 4 || len(second) != 2 || second[0].Seq >= last.Seq {
		t.Errorf("pages of %d and %d, want 4 and 2 without overlap", len(first), len(second))
	}
	admin.Get("/audit/search?before_seq=3").Want(http.StatusBadRequest)
	admin.Get("/audit/search?since=yesterday").Want(http.StatusBadRequest)
}

// shows AUDIT-05, AUDIT-06
func TestTheLiveStream(t *testing.T) {
	a, admin := apptest.Ready(t)
	for range 55 {
		a.SignIn(apptest.Email, apptest.Password)
	}
	stream, _, err := admin.Stream(t.Context(), "/audit/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.CloseNow() //nolint:errcheck // the test is over
	var last int64
	for i := range 50 {
		var e entry
		if err := stream.Next(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if i > 0 && e.Seq != last+1 {
			t.Fatalf("entry %d follows %d, want oldest to newest", e.Seq, last)
		}
		last = e.Seq
	}
	a.Viewer(admin, "v@example.com")
	for _, want := range []string{"auth.ticket.issue", "user.create", "auth.login.success"} {
		var e entry
		if err := stream.Next(t.Context(), &e); err != nil || e.Action != want || e.Seq != last+1 {
			t.Fatalf("live entry = %+v (%v), want %s", e, err, want)
		}
		last = e.Seq
	}
}

// shows AUDIT-07
func TestTheLiveStreamPings(t *testing.T) {
	t.Parallel() // it waits for half a minute
	_, admin := apptest.Ready(t)
	pinged := make(chan time.Time, 1)
	admin.OnPing = func(context.Context, []byte) bool {
		pinged <- time.Now()
		return true
	}
	stream, _, err := admin.Stream(t.Context(), "/audit/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.CloseNow() //nolint:errcheck // the test is over
	opened := time.Now()
	go func() { // a client hears pings while it reads
		for err == nil {
			_, _, err = stream.Read(t.Context())
		}
	}()
	select {
	case at := <-pinged:
		if took := at.Sub(opened); took < 25*time.Second {
			t.Errorf("the first ping came after %v, want 30 s", took)
		}
	case <-time.After(45 * time.Second):
		t.Error("no ping within 45 s")
	}
}

// shows AUDIT-08
func TestAnEntryThatWasNotStoredIsNotStreamed(t *testing.T) {
	a, admin := apptest.Ready(t)
	stream, _, err := admin.Stream(t.Context(), "/audit/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.CloseNow() //nolint:errcheck // the test is over
	if _, err := a.Pool.Exec(t.Context(), `alter table audit_entries add constraint refuse check (action <> 'user.create') not valid`); err != nil {
		t.Fatal(err)
	}
	refused := map[string]any{"email": "x@example.com", "role": "viewer", "password": apptest.Password}
	if got := admin.Post("/users", refused); got.Status < 400 {
		t.Fatalf("a mutation without its audit entry answered %d", got.Status)
	}
	admin.Get("/users?q=x@example.com").Want(http.StatusOK)
	if n := admin.Get("/users?q=x@example.com").Header.Get("X-Total-Count"); n != "0" {
		t.Errorf("%s rows were stored without an audit entry", n)
	}
	a.SignIn(apptest.Email, apptest.Password) // something that is stored, to wait for
	for {
		var e entry
		if err := stream.Next(t.Context(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Subject == "x@example.com" {
			t.Fatalf("streamed %+v, which was not stored", e)
		}
		if e.Action == "auth.login.success" && e.Seq >= 4 {
			return
		}
	}
}

func TestAStreamTakesNothingFromItsReader(t *testing.T) {
	_, admin := apptest.Ready(t)
	stream, _, err := admin.Stream(t.Context(), "/audit/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.CloseNow() //nolint:errcheck // the test is over
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	msg, err := json.Marshal(map[string]string{"hello": "server"})
	if err != nil {
		t.Fatal(err)
	}
	_ = stream.Write(ctx, 1, msg)
	if took, _ := stream.Closed(ctx); took > 4*time.Second {
		t.Error("a reader that writes was not shown out")
	}
}
