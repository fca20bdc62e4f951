package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sync/errgroup"

	"gateway/internal/api"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/problem"
	"gateway/internal/version"
	"gateway/web"
)

// API is gateway-api.
type API struct {
	*core
	server *api.Server
	done   atomic.Bool // setup was complete once, and stays so
}

// NewAPI makes the process without starting it.
func NewAPI(cfg Config) (*API, error) {
	c, err := newCore(cfg)
	if err != nil {
		return nil, err
	}
	a := &API{core: c}
	var who api.Authenticator = c.users
	if cfg.local {
		who = onlyLocal{}
	}
	a.server = api.New(api.Options{
		Version: version.Version, Auth: who, Database: c.watch, SetupDone: a.setupDone, Proof: c.users.Proves,
		Site: web.Site(), Log: c.log, Metrics: c.metrics,
	})
	for _, comp := range c.components {
		if comp.Routes != nil {
			comp.Routes(a.server.Router(comp.Name))
		}
	}
	return a, nil
}

// setupDone fails closed: a setup store that cannot be read keeps the gate shut.
func (a *API) setupDone() bool {
	if a.done.Load() {
		return true
	}
	state, err := a.setup.Load()
	if err == nil && state.Complete {
		a.done.Store(true)
	}
	return a.done.Load()
}

// Handler is the HTTP edge, for tests that bring their own listener.
func (a *API) Handler() http.Handler { return a.server.Handler() }

// Document is the OpenAPI description.
func (a *API) Document() ([]byte, error) { return a.server.Document() }

// Run serves until ctx ends.
func (a *API) Run(ctx context.Context) error {
	if err := a.announceSetup(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Background(ctx) })
	g.Go(func() error { return a.serve(ctx, l) })
	if a.cfg.ProxySocket != "" {
		proxy, err := listenForProxy(a.cfg.ProxySocket)
		if err != nil {
			return errors.Join(err, l.Close())
		}
		g.Go(func() error { return a.serve(api.BehindProxy(ctx), proxy) })
	}
	if _, err := systemd.SdNotify(false, systemd.SdNotifyReady); err != nil {
		a.log.Warn("notify systemd", "err", err)
	}
	a.log.Info("gateway-api is up", "version", version.Version, "listen", l.Addr().String())
	return g.Wait()
}

// Background watches the database and hears its notifications.
func (a *API) Background(ctx context.Context) error {
	defer a.close()
	handlers := map[string]func(context.Context, string){}
	for _, comp := range a.components {
		for channel, handle := range comp.Listen {
			handlers[channel] = both(handlers[channel], handle)
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.watch.Run(ctx) })
	g.Go(func() error {
		return (&db.Listener{Pool: a.pool, Ready: a.watch.Up, Handlers: handlers, Log: a.log}).Run(ctx)
	})
	return g.Wait()
}

// listenForProxy listens where only HAProxy can connect: the folder is its group's, and closed
// to others. It lies in the folder that HAProxy locks itself up in.
func listenForProxy(path string) (net.Listener, error) {
	// From systemd it stays while we restart, so that nobody is refused.
	passed, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("take the socket from systemd: %w", err)
	}
	if len(passed) == 1 && passed[0] != nil {
		return passed[0], nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a process that was killed
		return nil, fmt.Errorf("listen for HAProxy: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for HAProxy: %w", err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(fmt.Errorf("listen for HAProxy: %w", err), l.Close())
	}
	return l, nil
}

// both calls two handlers of one channel, one after the other.
func both(first, then func(context.Context, string)) func(context.Context, string) {
	if first == nil {
		return then
	}
	return func(ctx context.Context, payload string) {
		first(ctx, payload)
		then(ctx, payload)
	}
}

// answerTime is for every answer, longer than any operation has; streams are not bound by it. HAProxy waits longer still.
const answerTime = 3 * time.Minute

func (a *API) serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{
		Handler:           a.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       20 * time.Second,
		WriteTimeout:      answerTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return change.OfProcess(ctx) },
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- s.Shutdown(grace)
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return <-stopped
}

// announceSetup makes the one-time code and says where to get it. The code itself stays in
// root's file: the journal is read by others too.
func (a *API) announceSetup() error {
	if a.setupDone() {
		return nil
	}
	if _, _, err := auth.EnsureSetupCode(a.cfg.SetupCode()); err != nil {
		return fmt.Errorf("make setup code: %w", err)
	}
	a.log.Warn("this node is not set up: open https://<this node>:3443/setup; as root, gateway-ctl setup-code prints the code it asks for")
	return nil
}

// Blueprint is the process as it would be, for looking at: it has no state and no database.
func Blueprint() (*API, error) {
	dir, err := os.MkdirTemp("", "gateway-blueprint-")
	if err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	defer os.RemoveAll(dir) // the keys made there are used by nobody
	cfg := Defaults()
	cfg.StateDir = dir
	a, err := NewAPI(cfg)
	if err != nil {
		return nil, err
	}
	a.close()
	return a, nil
}

// Jobs are those of all components.
func (a *API) Jobs() (jobs []component.Job) {
	for _, c := range a.components {
		jobs = append(jobs, c.Jobs...)
	}
	return jobs
}

// Problems are the kinds that each component can find, by its name.
func (a *API) Problems() map[string][]problem.Kind {
	kinds := map[string][]problem.Kind{}
	for _, c := range a.components {
		kinds[c.Name] = c.Problems.Kinds
	}
	return kinds
}

// Values are what each component measures, by its name.
func (a *API) Values() map[string][]component.Value {
	kinds := map[string][]component.Value{}
	for _, c := range a.components {
		kinds[c.Name] = c.Values.Kinds
	}
	return kinds
}

// Kept is what all components keep of the past.
func (a *API) Kept() []component.Kept { return component.AllKept(a.components) }

// Schemas is what all components store.
func (a *API) Schemas() []db.Schema { return component.Schemas(a.components) }
