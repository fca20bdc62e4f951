package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gateway/lab"
)

// demoSeed is what the demo's operator has made so far, as one batch.
//
//go:embed demo.json
var demoSeed string

const (
	demoAdmin    = "admin@example.com"
	demoPassword = "Harbour-Lantern-42"
	// demoViewer is in the seed.
	demoViewer = "viewer@example.com with Cobalt-Meadow-17"
)

func demoCommand() *cobra.Command {
	var deb, listen, sites string
	cmd := &cobra.Command{
		Use: "demo", Short: "Start a node with sample data and an address for the browser, until Ctrl-C", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return demo(cmd.Context(), deb, listen, sites) },
	}
	cmd.Flags().StringVar(&deb, "deb", "", "the .deb to install")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:3443", "address of this machine for the management interface")
	cmd.Flags().StringVar(&sites, "sites", "127.0.0.1:8443", "address of this machine for the published sites")
	return cmd
}

func demo(ctx context.Context, deb, listen, sites string) (err error) {
	// The addresses come first: a busy port should not cost a minute.
	management, err := listenHere(ctx, listen)
	if err != nil {
		return err
	}
	defer management.Close()
	published, err := listenHere(ctx, sites)
	if err != nil {
		return err
	}
	defer published.Close()

	fmt.Println("Starting a Debian 13 node with the gateway; this takes about half a minute.")
	l, err := lab.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	node, client, err := demoHosts(ctx, l, deb)
	if err != nil {
		return err
	}
	go forward(ctx, management, client, netip.AddrPortFrom(node.IP(), 3443))
	go forward(ctx, published, client, netip.AddrPortFrom(node.IP(), 443))
	tellDemo(management.Addr(), published.Addr())
	<-ctx.Done()
	return nil
}

// demoHosts is a node that is set up, beside a client on which the sites' servers run.
func demoHosts(ctx context.Context, l *lab.Lab, deb string) (*lab.Node, *lab.Client, error) {
	node, err := l.StartNode(ctx, "gw1")
	if err != nil {
		return nil, nil, err
	}
	client, err := l.StartClient(ctx, "client")
	if err != nil {
		return nil, nil, err
	}
	for port, name := range map[string]string{"8081": "shop-1", "8082": "shop-2", "8083": "wiki-1"} {
		if err := serveDemo(ctx, client, port, name); err != nil {
			return nil, nil, err
		}
	}
	if err := install(ctx, node, deb); err != nil {
		return nil, nil, err
	}
	return node, client, seedDemo(ctx, node, client)
}

// serveDemo is a small server, at the client.
func serveDemo(ctx context.Context, client *lab.Client, port, name string) error {
	ln, err := client.Listen(ctx, "tcp", net.JoinHostPort(client.IP().String(), port))
	if err != nil {
		return err
	}
	server := &http.Server{
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>%[1]s</h1><p>%[2]s%[3]s, asked by %[4]s\n", name,
				html.EscapeString(r.Host), html.EscapeString(r.URL.Path), html.EscapeString(r.Header.Get("X-Forwarded-For")))
		}),
	}
	go func() { _ = server.Serve(ln) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// seedDemo sets the node up and stores the sample data, as root does: without a password or a token.
func seedDemo(ctx context.Context, node *lab.Node, client *lab.Client) error {
	if err := answering(ctx, node); err != nil {
		return err
	}
	code, err := node.Run(ctx, "gateway-ctl", "setup-code")
	if err != nil {
		return fmt.Errorf("%w\n%s", err, code)
	}
	setup, err := json.Marshal(map[string]string{
		"code": strings.TrimSpace(code), "fqdn": "gw1.example.com", "email": demoAdmin, "password": demoPassword,
	})
	if err != nil {
		return err
	}
	for _, step := range []struct{ path, body string }{
		{"/setup/complete", string(setup)},
		{"/batch", strings.ReplaceAll(demoSeed, "{{client}}", client.IP().String())},
	} {
		out, err := node.RunInput(ctx, strings.NewReader(step.body), "gateway-ctl", "api", "POST", step.path, "-", "-H", "Gateway-Reason: sample data")
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}

// answering waits until the node's API does.
func answering(ctx context.Context, node *lab.Node) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := node.Run(ctx, "curl", "-sk", "https://localhost:3443/api/v1/system/health")
		if err == nil && strings.Contains(out, `"database":true`) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the node does not answer: %w\n%s", errors.Join(ctx.Err(), err), out)
		}
	}
}

func listenHere(ctx context.Context, addr string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w (choose another port: make demo PORT=13443)", err)
	}
	return ln, nil
}

// maxForwarded bounds what a browser, or whoever else finds the port, can open.
const maxForwarded = 256

// forward takes connections of this machine to an address of the lab, from the client's place.
func forward(ctx context.Context, ln net.Listener, client *lab.Client, to netip.AddrPort) {
	slots := make(chan struct{}, maxForwarded)
	for {
		conn, err := ln.Accept()
		if err != nil {
			return // closed: the demo is over
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			relay(ctx, conn, client, to)
		}()
	}
}

func relay(ctx context.Context, near net.Conn, client *lab.Client, to netip.AddrPort) {
	defer near.Close()
	far, err := client.DialContext(ctx, "tcp", to.String())
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		return
	}
	defer far.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(far, near)
		if tcp, ok := far.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
	}()
	_, _ = io.Copy(near, far)
	if tcp, ok := near.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	<-done
}

func tellDemo(management, sites net.Addr) {
	port := func(a net.Addr) string { return strconv.Itoa(a.(*net.TCPAddr).Port) }
	fmt.Printf(`
  The gateway    https://localhost:%[1]s
  sign in as     %[2]s with %[3]s
  or, to look    %[4]s
  Its sites      https://shop.localhost:%[5]s  https://wiki.localhost:%[5]s
  A shell on it  go run ./lab/cmd/lab shell gw1   (then: gateway-ctl status)

The certificates are self-signed, so the browser warns. The node has no internet: that its clock and
its resolver have problems is true. Ctrl-C ends everything.
`, port(management), demoAdmin, demoPassword, demoViewer, port(sites))
}
