// Command gateway-logship sends the lines of the journal to the receiver that the operator named. It is a file of its own
// because it reads every log and speaks to the outside, and so has nothing else in it: no
// database, no secret, no privilege but to read the journal.
package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"gateway/internal/logship"
	"gateway/internal/logship/ship"
	"gateway/internal/outbound"
	"gateway/internal/process"
	"gateway/internal/sys"
)

func main() {
	log := process.NewLog(process.EnvLevel())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	config, err := readConfig()
	if err != nil { // it says so by its status, and waits for a file that it understands
		log.Error("read the configuration", "err", err)
		config = logship.Config{}
	}
	name, err := os.Hostname()
	if err != nil {
		log.Warn("ask for this node's name", "err", err)
	}
	host := sys.NewHost(time.Now)
	own := func() ([]netip.Addr, error) {
		links, err := host.Interfaces()
		return sys.Addresses(links), err
	}
	options := ship.Options{
		Config: config, Lines: sys.Lines, Dial: outbound.Dialer(own).DialContext, Host: name,
		StateDir: logship.StateDir, StatusFile: logship.StatusFile, Timing: ship.DefaultTiming(), Log: log,
	}
	if config.OwnCA {
		options.Roots = authorities
	}
	ship.Run(ctx, options)
}

func readConfig() (logship.Config, error) {
	text, err := os.ReadFile(logship.ConfFile)
	if err != nil {
		return logship.Config{}, err
	}
	return logship.ParseConfig(text)
}

// authorities are the operator's alone. Without them nobody is trusted.
func authorities() (*x509.CertPool, error) {
	text, err := os.ReadFile(logship.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read the authorities of the receiver: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", logship.CAFile)
	}
	return pool, nil
}
