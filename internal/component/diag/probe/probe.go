// Package probe tries from this node what an operator wants to know: whether a host answers,
// by which way it is reached, how large a packet may be, what a name resolves to, whether a port
// is open, what a URL answers, and which of these steps is the first that breaks. It runs no
// program and needs no privilege. Who may ask, and for what, is left to package diag.
package probe

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"gateway/internal/outbound"
)

// How a tool ended.
const (
	Answered = 0
	Silent   = 1 // nobody answered
	Failed   = 2 // it could not be tried, or was refused
)

// Limits are how long each tool may take at most.
func Limits() map[string]time.Duration {
	return map[string]time.Duration{"ping": 12 * time.Second, "traceroute": 60 * time.Second, "dig": 10 * time.Second, "curl": 10 * time.Second, "tcp": 8 * time.Second, "mtu": 20 * time.Second, "path": 20 * time.Second}
}

// Question is what to try.
type Question struct {
	Tool   string `json:"tool"`
	Target string `json:"target"` // a name or an address; of curl the URL
	Type   string `json:"type,omitempty"`
	Port   int    `json:"port,omitempty"`
}

// Result is what came of it.
type Result struct {
	Output     string `json:"output" doc:"Output as text"`
	ExitStatus int    `json:"exit_status" minimum:"0" maximum:"2" doc:"0: answered; 1: no answer; 2: not possible"`
	Duration   int64  `json:"duration_ms" minimum:"0" doc:"Duration in milliseconds"`
}

// Tools are what the questions are answered with.
type Tools struct {
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Own are this machine's addresses, which are reached by no tool that says something.
	Own func() ([]netip.Addr, error)
	// Dial replaces what reaches others; nil for outbound's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Resolver is the name server that is asked; nil means the system's first.
	Resolver func() (string, error)
	Ways     Ways
	// Roots are whom certificates must come from; nil for whom the system trusts.
	Roots *x509.CertPool
}

// mostBytes of an answer, as it is encoded: it goes through a notification of the database.
const mostBytes = 7_000

// Try answers a question, always.
func (t Tools) Try(ctx context.Context, q Question) Result {
	ctx, cancel := context.WithTimeout(ctx, Limits()[q.Tool])
	defer cancel()
	start := time.Now()
	var b strings.Builder
	status := Failed
	switch q.Tool {
	case "ping":
		status = t.ping(ctx, &b, q.Target)
	case "traceroute":
		status = t.traceroute(ctx, &b, q.Target)
	case "dig":
		status = t.dig(ctx, &b, q.Target, q.Type)
	case "curl":
		status = t.curl(ctx, &b, q.Target)
	case "tcp":
		status = t.tcp(ctx, &b, q.Target, q.Port)
	case "mtu":
		status = t.mtu(ctx, &b, q.Target)
	}
	return Result{Output: bounded(plain(b.String())), ExitStatus: status, Duration: time.Since(start).Milliseconds()}
}

// plain leaves nothing that a terminal would obey: a server may say anything.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

func bounded(s string) string {
	for {
		if text, err := json.Marshal(s); err != nil || len(text) <= mostBytes {
			return s
		}
		s = strings.ToValidUTF8(s[:len(s)*3/4], "") + "\n…"
	}
}

// address is where a name leads first.
func (t Tools) address(ctx context.Context, target string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(target); err == nil {
		return a.Unmap(), nil
	}
	all, err := t.Lookup(ctx, target)
	if err != nil {
		return netip.Addr{}, err
	}
	if len(all) == 0 {
		return netip.Addr{}, fmt.Errorf("%s has no address", target)
	}
	return all[0].Unmap(), nil
}

func (t Tools) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if t.Dial != nil {
		return t.Dial(ctx, network, address)
	}
	return outbound.Dialer(t.Own).DialContext(ctx, network, address)
}

// statusOf is how a tool ended that did not get through.
func statusOf(err error) int {
	var local outbound.Refused
	var name *net.DNSError
	if errors.As(err, &local) || errors.As(err, &name) {
		return Failed
	}
	return Silent
}

// tcp opens a port, and closes it.
func (t Tools) tcp(ctx context.Context, b *strings.Builder, target string, port int) int {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	start := time.Now()
	conn, err := t.dial(ctx, "tcp", net.JoinHostPort(target, fmt.Sprint(port)))
	if err != nil {
		fmt.Fprintln(b, err)
		return statusOf(err)
	}
	fmt.Fprintf(b, "Connected to %s from %s in %s\n", conn.RemoteAddr(), conn.LocalAddr(), ms(time.Since(start)))
	_ = conn.Close() // it was only to be opened
	return Answered
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
