package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/apply"
	"gateway/internal/fault"
	"gateway/internal/process"
	"gateway/internal/sys"
)

// The units that use the database and the state files. The socket goes first: whoever connects to it
// would start the API again. gateway-apply is among them because it remembers rows by where they lie, and
// because systemd hands it the master key when it starts.
var (
	stopped = []string{"gateway-api.socket", "gateway-api.service", "gateway-scheduler.service", "gateway-database.service", "gateway-apply.service"}
	started = []string{"gateway-apply.service", "gateway-api.socket", "gateway-api.service", "gateway-scheduler.service"}
)

// upWithin is how long the API may take until it answers with its database.
const upWithin = 30 * time.Second

// NodeServices are those of an installed node.
type NodeServices struct {
	Units   *sys.Units
	Applier apply.Client
	// Health is the address that answers whether the API has its database.
	Health string
	// Boot says that systemd has the services wait for us.
	Boot bool
	Log  *slog.Logger
}

// Stop stops them, and waits until they are down.
func (s NodeServices) Stop(ctx context.Context) error {
	for _, unit := range stopped {
		if err := s.Units.Stop(ctx, unit); err != nil {
			return err
		}
	}
	return nil
}

// Start starts them all anew, also one that somebody started meanwhile.
func (s NodeServices) Start(ctx context.Context) error {
	for _, unit := range started {
		restart := s.Units.Restart
		if s.Boot {
			restart = s.Units.RestartSoon
		}
		if err := restart(ctx, unit); err != nil {
			return err
		}
	}
	return nil
}

// StartDown starts those that are down. One that cannot be started keeps no other one down.
func (s NodeServices) StartDown(ctx context.Context) (err error) {
	start := s.Units.Start
	if s.Boot {
		start = s.Units.StartSoon
	}
	for _, unit := range started {
		err = errors.Join(err, start(ctx, unit))
	}
	return err
}

// Up waits for the API and its database.
func (s NodeServices) Up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, upWithin)
	defer cancel()
	var last error
	for {
		if last = s.healthy(ctx); last == nil {
			return nil
		}
		if !process.Pause(ctx, 200*time.Millisecond) {
			s.Log.Error("the API does not answer", "err", last)
			return fault.Say("the API did not respond within %d seconds after the restore", int(upWithin.Seconds()))
		}
	}
}

func (s NodeServices) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Health, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var body struct {
		Data struct {
			Database bool `json:"database"`
		} `json:"data"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<16)).Decode(&body); err != nil {
		return fmt.Errorf("status %d: %w", res.StatusCode, err)
	}
	if !body.Data.Database {
		return errors.New("the database does not answer")
	}
	return nil
}

// Sync has every component applied. One that does not take its rows is shown as a problem, and is
// for whoever is asked to confirm.
func (s NodeServices) Sync(ctx context.Context) error {
	states, err := s.Applier.States(ctx)
	if err != nil {
		return err
	}
	for _, state := range states {
		came, err := s.Applier.Sync(ctx, state.Component)
		if err != nil || came.Why.Message != "" {
			s.Log.Error("apply after the restore", "component", state.Component, "state", came.State, "why", came.Why.Message, "err", err)
		}
	}
	return nil
}
