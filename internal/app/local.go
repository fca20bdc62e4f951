package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// Local is the API in this very process, for whoever has the node in their hands: no
// port, no session, but the same operations, checks and audit, as the actor "local".
type Local struct {
	api  *API
	stop func()
}

// NewLocal starts it. Part of the API works without a database; WaitReady is for what does not.
func NewLocal(ctx context.Context, cfg Config) (*Local, error) {
	cfg.local = true
	a, err := NewAPI(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Background(ctx) }()
	return &Local{api: a, stop: func() { cancel(); <-done }}, nil
}

// WaitReady waits until the database answers, and for so long at the most.
func (l *Local) WaitReady(ctx context.Context, timeout time.Duration) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(timeout)
	for !l.api.watch.Up() {
		select {
		case <-tick.C:
		case <-late:
			return fault.New(fault.Unavailable, "the database does not answer; see: systemctl status postgresql@17-main").WithCode("database_unavailable")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close ends it.
func (l *Local) Close() { l.stop() }

// Managed are the components whose configuration goes to a daemon.
func (l *Local) Managed() []component.Component {
	return slices.DeleteFunc(slices.Clone(l.api.components), func(c component.Component) bool {
		_, managed := l.api.set.Find(c.Name)
		return !managed
	})
}

// Answer is what an operation answered.
type Answer struct {
	Data   json.RawMessage
	Header http.Header
}

// Do calls an operation. A refusal is a fault in the operation's own words.
func (l *Local) Do(ctx context.Context, method, path string, header http.Header, body any) (Answer, error) {
	call := l.call(method, path, header)
	if body != nil {
		var err error
		if call.Body, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("encode the request: %w", err)
		}
	}
	data, got, err := l.api.server.Do(ctx, call)
	if err != nil {
		return Answer{}, err
	}
	return Answer{data, got}, nil
}

// Call is Do for whoever wants the answer as it is, also that of a refusal.
func (l *Local) Call(ctx context.Context, method, path string, header http.Header, body []byte) (api.Answer, error) {
	call := l.call(method, path, header)
	call.Body = body
	return l.api.server.Answer(ctx, call)
}

func (l *Local) call(method, path string, header http.Header) api.Call {
	call := api.Call{Method: method, Path: path, Header: http.Header{"Authorization": {"Bearer local"}}}
	maps.Copy(call.Header, header)
	return call
}

// onlyLocal knows nobody but the one at the node.
type onlyLocal struct{}

func (onlyLocal) Authenticate(context.Context, api.Credential) (identity.Identity, error) {
	return identity.Identity{Email: "local", Role: identity.Admin, Local: true}, nil
}

func (onlyLocal) Revocations() (<-chan struct{}, func()) { return nil, func() {} }
