// Package program is what gateway-api, gateway-scheduler and gateway-ctl do when they are
// started. They link nearly the same packages, so the Debian package has them as one file,
// which does what the name says that it was called by. gateway-apply is not among them: the
// process with privileges links as little as it can.
package program

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"gateway/internal/app"
	"gateway/internal/ctl"
	"gateway/internal/dnsprovider/clients"
	"gateway/internal/process"
	"gateway/internal/sys"
)

// Find returns the program of a name, as it stands in a command line.
func Find(called string) (func(), error) {
	programs := map[string]func(){"gateway-api": API, "gateway-scheduler": Scheduler, "gateway-ctl": Ctl}
	name := filepath.Base(called)
	if run, ok := programs[name]; ok {
		return run, nil
	}
	return nil, fmt.Errorf("%q is not one of gateway-api, gateway-scheduler, gateway-ctl", name)
}

// API serves the HTTP API and the UI.
func API() {
	cfg := app.Defaults()
	cfg.Flags(flag.CommandLine)
	flag.StringVar(&cfg.Listen, "listen", cfg.Listen, "listen address")
	flag.StringVar(&cfg.ProxySocket, "proxy-socket", cfg.ProxySocket, "socket for HAProxy only; empty for none")
	flag.StringVar(&cfg.ApplySocket, "apply-socket", cfg.ApplySocket, "socket of gateway-apply")
	dev := flag.Bool("dev", false, "development mode: create the state directory, use the database in GATEWAY_TEST_DATABASE")
	openapi := flag.Bool("openapi", false, "print the OpenAPI document and exit")
	flag.Parse()
	ctx, stop := untilStopped()
	defer stop()
	process.Main(serve(ctx, cfg, *dev, *openapi))
}

func serve(ctx context.Context, cfg app.Config, dev, openapi bool) error {
	if openapi {
		return describe()
	}
	if dev {
		cfg.Database, cfg.ProxySocket = os.Getenv("GATEWAY_TEST_DATABASE"), ""
		if err := os.MkdirAll(cfg.StateDir, 0o700); err != nil {
			return err
		}
	}
	a, err := app.NewAPI(cfg)
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

func describe() error {
	a, err := app.Blueprint()
	if err != nil {
		return err
	}
	doc, err := a.Document()
	if err == nil {
		fmt.Println(string(doc))
	}
	return err
}

// Scheduler runs the periodic jobs.
func Scheduler() {
	cfg := app.Defaults()
	cfg.Flags(flag.CommandLine)
	flag.Parse()
	host := sys.NewHost(time.Now)
	cfg.DNSProviders = clients.Opener(func() ([]netip.Addr, error) {
		links, err := host.Interfaces()
		return sys.Addresses(links), err
	})
	ctx, stop := untilStopped()
	defer stop()
	process.Main(app.RunScheduler(ctx, cfg))
}

// Ctl administers this node from its own command line.
func Ctl() {
	ctx, stop := untilStopped()
	defer stop()
	process.Main(ctl.Execute(ctx, ctl.New()))
}

func untilStopped() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}
