package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"

	"gateway/internal/fault"
	"gateway/internal/identity"
)

// streamMethod marks a WebSocket operation: a GET on the wire, held to the rules of a mutation against other sites.
const streamMethod = "STREAM"

const (
	pingEvery    = 30 * time.Second
	writeTimeout = 10 * time.Second
)

// Param is a query parameter of a stream; its handler reads it by Query.
type Param struct{ Name, Doc string }

// Query is what stands in the address of the request behind ctx.
func Query(ctx context.Context) url.Values {
	if r, ok := ctx.Value(clientKey{}).(*http.Request); ok {
		return r.URL.Query()
	}
	return url.Values{}
}

// Stream registers a WebSocket. send is called with one value per message until
// fn returns. The session is asked again at every ping and whenever one was
// revoked; when it ended, the stream ends.
func Stream(r Router, op Op, fn func(ctx context.Context, send func(v any) error) error, params ...Param) {
	op.Method = http.MethodGet
	op = op.withDefaults()
	r.s.remember(op)
	h := op.describe(r.tag)
	h.Responses = map[string]*huma.Response{"101": {Description: "The WebSocket is open; each message is one JSON value"}}
	for _, p := range params {
		h.Parameters = append(h.Parameters, &huma.Param{Name: p.Name, In: "query", Description: p.Doc, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	r.s.document(h)
	r.s.sockets[http.MethodGet+" "+Prefix+op.Path] = true
	op.Method = streamMethod
	r.s.route(op, func(w http.ResponseWriter, req *http.Request) error { return r.s.stream(op, w, req, fn) })
}

// IsStream reports whether a request of that method and path, below Prefix, opens a WebSocket.
func (s *Server) IsStream(method, path string) bool {
	req, err := http.NewRequest(method, "http://localhost"+Prefix+path, http.NoBody)
	if err != nil {
		return false
	}
	_, pattern := s.mux.Handler(req)
	return s.sockets[pattern]
}

func (s *Server) stream(op Op, w http.ResponseWriter, r *http.Request, fn func(context.Context, func(any) error) error) error {
	if r.Method != http.MethodGet || !upgrade(r.Header) {
		return fault.New(fault.Invalid, "this is a stream: open it as a WebSocket")
	}
	if op.Check != nil {
		if err := op.Check(withClient(r.Context(), r)); err != nil {
			return err
		}
	}
	account := identity.From(r.Context()).UserID
	if err := s.streams.enter(account); err != nil {
		return err
	}
	defer s.streams.leave(account)
	// The origin was judged at the gate already; this is the library's own check, kept on.
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return nil //nolint:nilerr // Accept answered the caller itself
	}
	defer conn.CloseNow()                             //nolint:errcheck // closing twice is fine
	ctx := conn.CloseRead(withClient(r.Context(), r)) // ends when the caller hangs up; nobody may send us anything
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(s.keep(ctx, op, r, conn)) }()
	err = fn(ctx, func(v any) error { return send(ctx, conn, v) })
	if cause := context.Cause(ctx); errors.Is(cause, errEnded) {
		_ = conn.Close(websocket.StatusPolicyViolation, errEnded.Error())
	} else if errors.Is(cause, errNobodyKnows) {
		_ = conn.Close(websocket.StatusTryAgainLater, errNobodyKnows.Error())
	} else if err != nil && ctx.Err() == nil {
		s.log.Error("stream", "op", op.ID, "err", err)
		_ = conn.Close(websocket.StatusInternalError, "internal error")
	}
	return nil
}

// upgrade looks before the library does, which would refuse in plain text.
func upgrade(h http.Header) bool {
	key, err := base64.StdEncoding.DecodeString(h.Get("Sec-WebSocket-Key"))
	return strings.EqualFold(h.Get("Upgrade"), "websocket") && strings.Contains(strings.ToLower(h.Get("Connection")), "upgrade") &&
		h.Get("Sec-WebSocket-Version") == "13" && err == nil && len(key) == 16
}

var (
	errEnded = errors.New("the session ended")
	// errNobodyKnows is for a stream that nobody can judge now: its session may well be there when the database is back.
	errNobodyKnows = errors.New("the database does not answer")
)

// keep pings, and asks after the session, until one of the two fails.
func (s *Server) keep(ctx context.Context, op Op, r *http.Request, conn *websocket.Conn) error {
	changed, stop := s.Auth.Revocations()
	defer stop()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ping.C:
			if err := s.ping(ctx, conn); err != nil {
				return err
			}
		case <-changed:
		}
		switch _, err := s.admit(op, r.WithContext(ctx)); {
		case fault.Is(err, fault.Unavailable):
			return errNobodyKnows
		case err != nil:
			return errEnded
		}
	}
}

func (s *Server) ping(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Ping(ctx)
}

func send(ctx context.Context, conn *websocket.Conn, v any) error {
	msg, ready := v.(json.RawMessage) // it may be the same for many
	if !ready {
		var err error
		if msg, err = json.Marshal(v); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// A write that is cut cuts the connection with it, and the reason could not be said any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, msg)
}
