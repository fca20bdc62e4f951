// Package reach tests, before a site is published, whether its name leads to this node and
// whether its servers answer. It sends one request to each server and tells no more than its
// status. Who may ask, and how often, is left to package proxy.
package reach

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// MaxServers of one question: a page's worth, no scan.
	MaxServers = 16
	// Limit of a whole question; its parts run beside each other.
	Limit = 3 * time.Second
	// maxAddresses of a name that are told.
	maxAddresses = 16
)

// ErrNotAllowed is Dial's for an address that only this node can reach.
var ErrNotAllowed = errors.New("only this node can reach it")

// Question is what is to be tested. Every value is in its one form.
type Question struct {
	Domain  string   `json:"domain,omitempty"`
	Servers []Server `json:"servers,omitempty"`
	Scheme  string   `json:"scheme"` // http, https or tcp
	Path    string   `json:"path"`
}

// Server is where one is to be.
type Server struct {
	Address string `json:"address" minLength:"1" maxLength:"253" doc:"IP address or host name" example:"192.0.2.10"`
	Port    int    `json:"port" minimum:"1" maximum:"65535" doc:"Port that the server listens on"`
}

// Answer is what came of it.
type Answer struct {
	Name    *Name    `json:"name,omitempty" doc:"Where the name of the domain leads; absent if none was asked for"`
	Servers []Result `json:"servers" doc:"The servers, in the order of the question"`
}

// Name is where a name leads.
type Name struct {
	Code      string   `json:"code" enum:"here,partly_here,elsewhere,behind_nat,unresolved,dns_failed,untested" doc:"here: all addresses are this node's. partly_here: some are. elsewhere: none is. behind_nat: none is, but this node has no public address, so it may be the router's. unresolved: there is no A or AAAA record. dns_failed: the name server did not answer. untested: gateway-scheduler did not answer"`
	Addresses []string `json:"addresses" doc:"What it resolves to"`
	Elsewhere []string `json:"elsewhere" doc:"Those of them that are not addresses of this node"`
}

// Result is how a server answers.
type Result struct {
	Server
	Code         string `json:"code" enum:"answers,connects,refused,timeout,no_route,blocked,unresolved,dns_failed,tls_failed,no_http,not_allowed,failed,untested" doc:"answers: with an HTTP status. connects: the port is open (scheme tcp). blocked: the packet filter of this node refuses it. no_http: it is no HTTP server. not_allowed: local and link-local addresses are not tested. untested: gateway-scheduler did not answer"`
	Status       int    `json:"status" doc:"HTTP status; 0 without one"`
	Milliseconds int    `json:"milliseconds" doc:"How long it took"`
}

// The codes.
const (
	here       = "here"
	partlyHere = "partly_here"
	elsewhere  = "elsewhere"
	behindNAT  = "behind_nat"

	answers    = "answers"
	connects   = "connects"
	refused    = "refused"
	timedOut   = "timeout"
	noRoute    = "no_route"
	blocked    = "blocked"
	unresolved = "unresolved"
	dnsFailed  = "dns_failed"
	tlsFailed  = "tls_failed"
	noHTTP     = "no_http"
	notAllowed = "not_allowed"
	failed     = "failed"
	untested   = "untested"
)

// Tester has the ways to the outside.
type Tester struct {
	// Lookup resolves a name.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial reaches a server, or refuses to with ErrNotAllowed.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Own are this node's addresses.
	Own []netip.Addr
}

// Test answers within Limit.
func (t Tester) Test(ctx context.Context, q Question) Answer {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	out := Untested(q)
	var under sync.WaitGroup
	if q.Domain != "" {
		under.Go(func() { *out.Name = t.name(ctx, q.Domain) })
	}
	for i := range min(len(out.Servers), MaxServers) {
		under.Go(func() { out.Servers[i] = t.server(ctx, q, q.Servers[i]) })
	}
	under.Wait()
	return out
}

// Untested is the answer where nobody can test.
func Untested(q Question) Answer {
	out := Answer{Servers: make([]Result, len(q.Servers))}
	if q.Domain != "" {
		out.Name = &Name{Code: untested, Addresses: []string{}, Elsewhere: []string{}}
	}
	for i, s := range q.Servers {
		out.Servers[i] = Result{Server: s, Code: untested}
	}
	return out
}

func (t Tester) name(ctx context.Context, name string) Name {
	out := Name{Addresses: []string{}, Elsewhere: []string{}}
	if rest, wildcard := strings.CutPrefix(name, "*."); wildcard {
		name = "gateway-check." + rest // any name below it stands for all
	}
	found, err := t.Lookup(ctx, name+".") // no search domain may help
	if out.Code = lookupFailed(err, len(found)); out.Code != "" {
		return out
	}
	certain := false // that no router in front can have one of these addresses
	for _, addr := range found[:min(len(found), maxAddresses)] {
		addr = addr.Unmap()
		out.Addresses = append(out.Addresses, addr.String())
		if addr.IsLoopback() || !slices.Contains(t.Own, addr) {
			out.Elsewhere = append(out.Elsewhere, addr.String())
			certain = certain || !isPublic(addr) || slices.ContainsFunc(t.Own, func(a netip.Addr) bool { return a.Is4() == addr.Is4() && isPublic(a) })
		}
	}
	switch {
	case len(out.Elsewhere) == 0:
		out.Code = here
	case len(out.Elsewhere) < len(out.Addresses):
		out.Code = partlyHere
	case certain:
		out.Code = elsewhere
	default:
		out.Code = behindNAT
	}
	return out
}

// lookupFailed is the code for a name without addresses, or "".
func lookupFailed(err error, found int) string {
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound, err == nil && found == 0:
		return unresolved
	case err != nil:
		return dnsFailed
	}
	return ""
}

func isPublic(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a)
}

// shared is what providers give to customers whom they translate (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")
