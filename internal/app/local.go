package app

import (
	"context"
	"encoding/json"
	"errors"
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

// startTime is how long the database may take to answer at first.
const startTime = 10 * time.Second

// NewLocal waits for the database.
func NewLocal(ctx context.Context, cfg Config) (*Local, error) {
	cfg.local = true
	a, err := NewAPI(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Background(ctx) }()
	l := &Local{api: a, stop: func() { cancel(); <-done }}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(startTime)
	for !a.watch.Up() {
		select {
		case <-tick.C:
		case <-late:
			l.stop()
			return nil, errors.New("the database does not answer; see: systemctl status postgresql")
		case <-ctx.Done():
			l.stop()
			return nil, ctx.Err()
		}
	}
	return l, nil
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

// Do calls an operation. A refusal is an error in the operation's own words.
func (l *Local) Do(ctx context.Context, method, path string, header http.Header, body any) (Answer, error) {
	call := api.Call{Method: method, Path: path, Header: http.Header{"Authorization": {"Bearer local"}}}
	maps.Copy(call.Header, header)
	if body != nil {
		var err error
		if call.Body, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("encode the request: %w", err)
		}
	}
	data, got, err := l.api.server.Do(ctx, call)
	if err != nil {
		return Answer{}, refusal(err)
	}
	return Answer{data, got}, nil
}

// refusal spells out what a page would show at its fields.
func refusal(err error) error {
	f, ok := fault.Of(err)
	if !ok {
		return err
	}
	text := f.Message
	for _, field := range f.Fields {
		text += "\n  " + field.Name + " " + field.Message
	}
	if f.Current != nil {
		if raw, err := json.MarshalIndent(f.Current, "  ", "  "); err == nil {
			text += "\n  " + string(raw)
		}
	}
	return errors.New(text)
}

// onlyLocal knows nobody but the one at the node.
type onlyLocal struct{}

func (onlyLocal) Authenticate(context.Context, api.Credential) (identity.Identity, error) {
	return identity.Identity{Email: "local", Role: identity.Admin}, nil
}

func (onlyLocal) Revocations() (<-chan struct{}, func()) { return nil, func() {} }
