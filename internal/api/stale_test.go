package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// outage is a server whose database goes away under a session.
type outage struct {
	*httptest.Server
	down   atomic.Bool
	said   atomic.Pointer[error] // what asking for the session ends with
	asked  chan struct{}         // has the open streams ask
	answer chan struct{}         // has them send a message
}

func (o *outage) Up() bool { return !o.down.Load() }

func (o *outage) Authenticate(context.Context, api.Credential) (identity.Identity, error) {
	if err := o.said.Load(); err != nil {
		return identity.Identity{}, *err
	}
	away := o.down.Load()
	return identity.Identity{UserID: "1", Email: "a@example.com", Role: identity.Admin, Stale: away, Emergency: away}, nil
}

func (o *outage) Revocations() (<-chan struct{}, func()) { return o.asked, func() {} }

func (o *outage) stream(ctx context.Context, send func(any) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-o.answer:
		}
		if err := send("news"); err != nil {
			return err
		}
	}
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	o := &outage{asked: make(chan struct{}), answer: make(chan struct{})}
	s := api.New(api.Options{
		Version: "1.2.3", Auth: o, Database: o, SetupDone: func() bool { return true }, Site: fstest.MapFS{},
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
	r := s.Router("test")
	api.Stream(r, api.Op{ID: "system", Path: "/system/live", Access: api.Viewer, WithoutDatabase: true}, o.stream)
	api.Stream(r, api.Op{ID: "rows", Path: "/rows/live", Access: api.Viewer}, o.stream)
	api.Handle(r, api.Op{ID: "act", Method: http.MethodPost, Path: "/act", WithoutDatabase: true},
		func(context.Context, *struct{}) (*api.Body[*api.None], error) { return api.Done(), nil })
	o.Server = httptest.NewServer(s.Handler())
	t.Cleanup(o.Close)
	return o
}

func (o *outage) open(t *testing.T, path string) (*websocket.Conn, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, o.URL+"/api/v1"+path, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer x"}}})
	if res == nil {
		t.Fatal(err)
	}
	return conn, res.StatusCode
}

// next is the next message, or how the stream was closed.
func next(t *testing.T, conn *websocket.Conn) (string, websocket.CloseError) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, msg, err := conn.Read(ctx)
	var closed websocket.CloseError
	if err != nil && !errors.As(err, &closed) {
		t.Fatal(err)
	}
	return string(msg), closed
}

func TestStreamsOfASessionFromBeforeTheDatabaseWentAway(t *testing.T) {
	gone := error(fault.New(fault.Unauthenticated, "the session ended"))
	unknown := error(db.Down())
	tests := []struct {
		name, path string
		down       bool   // from the start
		said       *error // about the session, once it is open
		opened     int
		code       websocket.StatusCode
		reason     string
	}{
		{name: "one that needs no database stays open", path: "/system/live", opened: 101},
		{name: "one that needs no database opens", path: "/system/live", down: true, opened: 101},
		{name: "one that needs it ends for that reason", path: "/rows/live", opened: 101, code: websocket.StatusTryAgainLater, reason: "the database does not answer"},
		{name: "one that needs it does not open", path: "/rows/live", down: true, opened: 503},
		{name: "after a while nobody knows the session", path: "/system/live", said: &unknown, opened: 101, code: websocket.StatusTryAgainLater, reason: "the database does not answer"},
		{name: "a session that ended", path: "/system/live", said: &gone, opened: 101, code: websocket.StatusPolicyViolation, reason: "the session ended"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := newOutage(t)
			o.down.Store(tc.down)
			conn, status := o.open(t, tc.path)
			if status != tc.opened {
				t.Fatalf("opening = %d, want %d", status, tc.opened)
			}
			if conn == nil {
				return
			}
			defer conn.CloseNow() //nolint:errcheck // it may be closed already
			o.down.Store(true)
			if tc.said != nil {
				o.said.Store(tc.said)
			}
			o.asked <- struct{}{}
			if tc.code == 0 {
				o.asked <- struct{}{} // the first one was judged
				o.answer <- struct{}{}
			}
			msg, closed := next(t, conn)
			if closed.Code != tc.code || closed.Reason != tc.reason || (msg == "") != (tc.code != 0) {
				t.Errorf("got %q, closed %d %q; want %d %q", msg, closed.Code, closed.Reason, tc.code, tc.reason)
			}
		})
	}
}

func TestASessionFromBeforeChangesNothing(t *testing.T) {
	o := newOutage(t)
	o.down.Store(true)
	if res, body := do(t, o.Server, http.MethodPost, "/api/v1/act", "", "Authorization", "Bearer x"); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a change = %d %s, want 503", res.StatusCode, body)
	}
}
