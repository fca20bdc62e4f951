// Command gateway-api serves the HTTP API and the UI.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway/internal/app"
	"gateway/internal/process"
)

func main() {
	cfg := app.Defaults()
	cfg.Flags(flag.CommandLine)
	flag.StringVar(&cfg.Listen, "listen", cfg.Listen, "listen address")
	flag.StringVar(&cfg.ProxySocket, "proxy-socket", cfg.ProxySocket, "socket for HAProxy only; empty for none")
	flag.StringVar(&cfg.ApplySocket, "apply-socket", cfg.ApplySocket, "socket of gateway-apply")
	dev := flag.Bool("dev", false, "development mode: create the state directory, use the database in GATEWAY_TEST_DATABASE")
	openapi := flag.Bool("openapi", false, "print the OpenAPI document and exit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	process.Main(run(ctx, cfg, *dev, *openapi))
}

func run(ctx context.Context, cfg app.Config, dev, openapi bool) error {
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
