package componenttest

import (
	"context"
	"os"
	"path/filepath"

	"gateway/internal/apply"
	"gateway/internal/change"
)

// TraceEnv is the variable that says how far Trace goes: TraceNothing, TraceNoop, or all the way.
const (
	TraceEnv     = "GATEWAY_TRACE"
	TraceNothing = "nothing"
	TraceNoop    = "noop"
)

// Trace makes one change from the request to the daemon, by way of the applier's socket as on a
// node. Before that comes what changes nothing: a request that reads, and a round. Profiles of
// a test that went less far and of one that went further tell what a change passes; see
// TestBarCarry07TheWalkOfAChange.
func (r *Rig) Trace(reads string, do func()) {
	r.T.Helper()
	far := os.Getenv(TraceEnv)
	if far == TraceNothing {
		return
	}
	r.socket = filepath.Join(r.Root, "run/apply.sock")
	defer func() { r.socket = "" }()
	r.Do("GET", reads, nil).Want(200)
	r.MustSync()
	if far != TraceNoop {
		do()
	}
}

// asked has the engine bring the daemon up to date, over the socket where there is one.
func (r *Rig) asked(ctx context.Context) (change.Applied, error) {
	if r.socket == "" {
		return r.engine.Sync(ctx, r.Daemon.Name)
	}
	l, err := apply.Listen(r.socket)
	if err != nil {
		return change.Applied{}, err
	}
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	server := apply.NewServer(nil, nil, nil, r.engine, []uint32{uint32(os.Getuid())}, r.log())
	go func() { done <- server.Serve(serving, l) }()
	came, err := apply.Client{Socket: r.socket}.Sync(ctx, r.Daemon.Name)
	stop()
	if failed := <-done; err == nil {
		err = failed
	}
	return came, err
}
