package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"gateway/internal/fault"
)

// The packet filter's table in the kernel; see package netfilter.
const (
	tableFamily = "inet"
	tableName   = "gateway"
)

// verb reads its own request off the line and answers it.
type verb func(ctx context.Context, line []byte) (answer any, err error)

// verbs is the table: what is not in it cannot be asked for.
func (s *Server) verbs() map[string]verb {
	return map[string]verb{
		"packet-filter": typed(s.packetFilterLoaded),
		"service":       typed(s.service),
		"sync":          typed(s.sync),
		"states":        typed(s.states),
		"component":     typed(s.component),
		"job":           typed(s.job),
	}
}

// typed gives a verb a request type of its own, so that a field of one verb is unknown
// to another.
func typed[R any](do func(context.Context, R) (any, error)) verb {
	return func(ctx context.Context, line []byte) (any, error) {
		var r R
		if err := decodeStrict(line, &r); err != nil {
			return nil, err
		}
		return do(ctx, r)
	}
}

func (s *Server) dispatch(ctx context.Context, line []byte) (any, error) {
	var head struct {
		Verb string `json:"verb"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fault.New(fault.Invalid, "the request is not one JSON object")
	}
	do, ok := s.verbs()[head.Verb]
	if !ok {
		return nil, fault.New(fault.Invalid, "there is no verb %q", head.Verb)
	}
	return do(ctx, line)
}

func (s *Server) packetFilterLoaded(ctx context.Context, _ packetFilterRequest) (any, error) {
	loaded, err := s.filter.TableLoaded(ctx, tableFamily, tableName)
	if err != nil {
		return nil, err
	}
	return packetFilterAnswer{Loaded: &loaded}, nil
}

func (s *Server) service(ctx context.Context, r serviceRequest) (any, error) {
	svc, err := permit(s.services, r.Action, r.Service)
	if err != nil {
		return nil, err
	}
	// One at a time: "on" and "off" are two steps each, and must not end mixed.
	leave, err := s.locks.take(ctx, svc.Unit)
	if err != nil {
		return nil, inWords(err, svc)
	}
	defer leave()
	if err := s.act(ctx, r.Action, svc); err != nil {
		return nil, err
	}
	return emptyAnswer{}, nil
}

func (s *Server) sync(ctx context.Context, r syncRequest) (any, error) {
	if s.engine == nil {
		return nil, errNoEngine()
	}
	came, err := s.engine.Sync(ctx, r.Component)
	if err != nil {
		return nil, err
	}
	return syncAnswer{came.State, came.Why.Message, came.Why.Beside()}, nil
}

func (s *Server) states(context.Context, statesRequest) (any, error) {
	if s.engine == nil {
		return nil, errNoEngine()
	}
	return statesAnswer{s.engine.States()}, nil
}

func (s *Server) component(ctx context.Context, r componentRequest) (any, error) {
	if s.engine == nil {
		return nil, errNoEngine()
	}
	do, ok := s.engine.Verb(r.Component, r.Do)
	if !ok {
		return nil, fault.New(fault.Invalid, "%q has no verb %q", r.Component, r.Do)
	}
	out, err := do(ctx, r.In)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode what %s %s answers: %w", r.Component, r.Do, err)
	}
	return componentAnswer{raw}, nil
}

// job starts one of the units that have more rights than the applier, for the archive of that id, and
// nothing else of the caller reaches it; see docs/adr/0027-restore-by-renaming.md.
func (s *Server) job(ctx context.Context, r jobRequest) (any, error) {
	unit, err := jobUnit(r.Job, r.ID)
	if err != nil {
		return nil, err
	}
	if err := ended(ctx, s.units, unit); err != nil {
		return nil, err
	}
	if err := s.units.Start(ctx, unit); err != nil {
		return nil, err
	}
	return emptyAnswer{}, nil
}

func errNoEngine() error {
	return fault.New(fault.Unavailable, "the applier is not ready yet")
}
