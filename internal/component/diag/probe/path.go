package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/outbound"
	"gateway/internal/packetfilter"
)

// How a step of a path ended.
const (
	StepOK        = "ok"
	StepBroken    = "broken"
	StepNotTried  = "not_tried"  // one before it is broken, or nothing is sent to such a target
	StepNotNeeded = "not_needed" // the target is an address, which no name leads to
)

// PathQuestion is what a path is to be followed to.
type PathQuestion struct {
	Target string     `json:"target"` // a name or an address
	Port   int        `json:"port"`
	TLS    bool       `json:"tls"`
	Source netip.Addr `json:"source,omitzero"` // whose packets the packet filter is asked about; nobody's for this node's own
}

// Path is what came of each step, in the order in which they follow from each other.
type Path struct {
	OK       bool  `json:"ok" doc:"Whether all steps were taken, and none is broken"`
	Steps    Steps `json:"steps" doc:"The steps; after the first that is broken or refused, none is tried"`
	Duration int64 `json:"duration_ms" minimum:"0" doc:"Duration in milliseconds"`
}

// Steps are the steps of a path.
type Steps struct {
	DNS    DNSStep    `json:"dns" doc:"What this node's resolver answers"`
	Route  RouteStep  `json:"route" doc:"How this node sends packets to the first address"`
	Filter FilterStep `json:"filter" doc:"What the packet filter does with the first packet of the connection"`
	TCP    TCPStep    `json:"tcp" doc:"Whether the port accepts a connection from this node"`
	TLS    *TLSStep   `json:"tls,omitempty" doc:"The TLS handshake and the certificate; absent unless asked for"`
}

// Step is what all steps have.
type Step struct {
	State    string `json:"state" enum:"ok,broken,not_tried,not_needed" doc:"ok; broken; not_tried: an earlier step is broken, or this node does not connect to such a target (problem refused_target); not_needed: the target is an address"`
	Duration int64  `json:"duration_ms" minimum:"0" doc:"Duration in milliseconds"`
	Problem  string `json:"problem,omitempty" enum:"no_address,resolver_failed,no_route,dropped,refused_target,connection_refused,unreachable,timeout,unknown_authority,expired,wrong_name,handshake,other" doc:"What is broken, or why it was not tried; absent otherwise"`
	Error    string `json:"error,omitempty" doc:"What the system says of it, in English"`
}

// DNSStep is what a name leads to.
type DNSStep struct {
	Step
	Addresses []netip.Addr `json:"addresses,omitempty" doc:"Addresses, in the order in which they are tried; the later steps take the first"`
}

// RouteStep is how packets leave.
type RouteStep struct {
	Step
	Interface string     `json:"interface,omitempty" doc:"Outgoing interface"`
	Uplink    string     `json:"uplink,omitempty" doc:"Name of the uplink on it; absent without one"`
	Gateway   netip.Addr `json:"gateway,omitzero" doc:"Next hop; absent if the target is on the link"`
	Source    netip.Addr `json:"source,omitzero" doc:"Source address that this node uses"`
	MTU       int        `json:"mtu,omitempty" doc:"Largest packet of the interface in bytes"`
	Local     bool       `json:"local" doc:"Whether the address is this node's own"`
}

// FilterStep is what the packet filter does.
type FilterStep struct {
	Step
	Own         bool                `json:"own" doc:"Whether the connection is this node's own; the packet filter lets all of those out"`
	Verdict     packetfilter.Action `json:"verdict,omitempty" doc:"What happens to the packet: accept, drop or reject; absent if it was not tried"`
	Decided     *fault.Sentence     `json:"decided,omitempty" doc:"What decided it; absent for this node's own connections"`
	Out         string              `json:"out,omitempty" doc:"Outgoing interface of a packet from the source"`
	UplinkGroup string              `json:"uplink_group,omitempty" doc:"Name of the uplink group that a rule sends it to"`
}

// TCPStep is a connection.
type TCPStep struct {
	Step
	Local  string `json:"local,omitempty" doc:"Own address and port"`
	Remote string `json:"remote,omitempty" doc:"Address and port connected to"`
}

// TLSStep is a handshake.
type TLSStep struct {
	Step
	Version  string    `json:"version,omitempty" doc:"Version of TLS"`
	Names    []string  `json:"names,omitempty" doc:"Names and addresses in the certificate, at most ten"`
	Issuer   string    `json:"issuer,omitempty" doc:"Who issued the certificate"`
	NotAfter time.Time `json:"not_after,omitzero" doc:"When the certificate expires"`
	Trusted  bool      `json:"trusted" doc:"Whether the chain ends at an authority that this node's system trusts, is valid now, and is for this name"`
}

const (
	mostAddresses = 16
	mostNames     = 10
	mostWords     = 250
)

// taken is how a step is done, and where it tells what came of it.
type taken struct {
	on *Step
	do func(context.Context, *Steps) error
}

// Path follows a connection step by step and stops where it breaks.
func (t Tools) Path(ctx context.Context, q PathQuestion) Path {
	ctx, cancel := context.WithTimeout(ctx, Limits()["path"])
	defer cancel()
	start := time.Now()
	var p Path
	w := walk{tools: t, question: q}
	defer w.close()
	steps := []taken{
		{&p.Steps.DNS.Step, w.dns},
		{&p.Steps.Route.Step, w.route},
		{&p.Steps.Filter.Step, w.filter},
		{&p.Steps.TCP.Step, w.tcp},
	}
	if q.TLS {
		p.Steps.TLS = &TLSStep{}
		steps = append(steps, taken{&p.Steps.TLS.Step, w.tls})
	}
	p.OK = true
	for _, s := range steps {
		if !p.OK {
			s.on.State = StepNotTried
			continue
		}
		p.OK = s.on.run(ctx, func(ctx context.Context) error { return s.do(ctx, &p.Steps) })
	}
	p.Duration = time.Since(start).Milliseconds()
	return p.bounded()
}

// bounded leaves out names of the certificate until the answer fits: a server may say anything.
func (p Path) bounded() Path {
	for p.Steps.TLS != nil && len(p.Steps.TLS.Names) > 0 {
		if text, err := json.Marshal(p); err != nil || len(text) <= mostBytes {
			break
		}
		p.Steps.TLS.Names = p.Steps.TLS.Names[:len(p.Steps.TLS.Names)-1]
	}
	return p
}

// run takes a step within its time and tells what came of it.
func (s *Step) run(ctx context.Context, do func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	start := time.Now()
	err := do(ctx)
	s.Duration = time.Since(start).Milliseconds()
	switch {
	case errors.Is(err, errNotNeeded):
		s.State = StepNotNeeded
		return true
	case problemOf(err) == refusedTarget: // nothing is known of it, so it is not called broken
		s.State, s.Problem, s.Error = StepNotTried, refusedTarget, words(err.Error())
		return false
	case err != nil:
		s.State, s.Problem, s.Error = StepBroken, problemOf(err), words(err.Error())
		return false
	}
	s.State = StepOK
	return true
}

// words are bounded and hold nothing that a terminal would obey.
func words(s string) string {
	all := []rune(plain(s))
	if len(all) > mostWords {
		return string(all[:mostWords]) + "…"
	}
	return string(all)
}

// walk is a connection on its way.
type walk struct {
	tools    Tools
	question PathQuestion
	to       netip.Addr
	conn     net.Conn
}

var errNotNeeded = errors.New("not needed")

func (w *walk) dns(ctx context.Context, s *Steps) error {
	if a, err := netip.ParseAddr(w.question.Target); err == nil {
		w.to = a.Unmap()
		s.DNS.Addresses = []netip.Addr{w.to}
		return errNotNeeded
	}
	all, err := w.tools.Lookup(ctx, w.question.Target)
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return stopped{"no_address", err}
	case err != nil:
		return stopped{"resolver_failed", err}
	}
	if w.question.Source.IsValid() {
		all = ofFamily(all, w.question.Source.Is4())
	}
	if len(all) == 0 {
		return stopped{"no_address", fmt.Errorf("%s has no address that could be reached from here", w.question.Target)}
	}
	for _, a := range all[:min(len(all), mostAddresses)] {
		s.DNS.Addresses = append(s.DNS.Addresses, a.Unmap())
	}
	w.to = s.DNS.Addresses[0]
	return nil
}

// ofFamily are the addresses that a source of a family can reach.
func ofFamily(all []netip.Addr, v4 bool) (list []netip.Addr) {
	for _, a := range all {
		if a.Unmap().Is4() == v4 {
			list = append(list, a)
		}
	}
	return list
}

func (w *walk) route(ctx context.Context, s *Steps) error {
	way, err := w.tools.Ways.to(ctx, w.to)
	if err != nil {
		return stopped{"no_route", err}
	}
	r := &s.Route
	r.Interface, r.Uplink, r.Gateway, r.Source, r.MTU, r.Local = way.Interface, way.Uplink, way.Gateway, way.Source, way.MTU, way.Local
	return nil
}

// filter asks about a packet of the source. This node's own are not asked about: the packet
// filter has no chain for what leaves by itself.
func (w *walk) filter(ctx context.Context, s *Steps) error {
	if !w.question.Source.IsValid() {
		s.Filter.Own, s.Filter.Verdict = true, packetfilter.Accept
		return nil
	}
	if w.tools.Ways.Filter == nil {
		return errors.New("nobody knows what the packet filter does")
	}
	trace, err := w.tools.Ways.Filter(ctx, packetfilter.Packet{Source: w.question.Source, Destination: w.to, Protocol: packetfilter.TCP, Port: uint16(w.question.Port)})
	if err != nil {
		return err
	}
	f, said := &s.Filter, trace.Decided.Said()
	f.Verdict, f.Decided, f.Out, f.UplinkGroup = trace.Verdict, &said, trace.Out, trace.UplinkGroup
	if trace.Verdict != packetfilter.Accept {
		return stopped{"dropped", &said}
	}
	return nil
}

func (w *walk) tcp(ctx context.Context, s *Steps) (err error) {
	w.conn, err = w.tools.dial(ctx, "tcp", netip.AddrPortFrom(w.to, uint16(w.question.Port)).String())
	if err != nil {
		return err
	}
	s.TCP.Local, s.TCP.Remote = w.conn.LocalAddr().String(), w.conn.RemoteAddr().String()
	return nil
}

func (w *walk) tls(ctx context.Context, s *Steps) error {
	c := tls.Client(w.conn, &tls.Config{ServerName: w.question.Target, MinVersion: tls.VersionTLS12, RootCAs: w.tools.Roots})
	err := c.HandshakeContext(ctx)
	state := c.ConnectionState()
	chain := state.PeerCertificates
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		chain = untrusted.UnverifiedCertificates
	}
	if err == nil {
		s.TLS.Version, s.TLS.Trusted = tls.VersionName(state.Version), true
	}
	if len(chain) > 0 {
		s.TLS.Names, s.TLS.Issuer, s.TLS.NotAfter = namesOf(chain[0]), words(chain[0].Issuer.String()), chain[0].NotAfter
	}
	if err != nil && untrusted == nil && problemOf(err) == "other" {
		return stopped{"handshake", err}
	}
	return err
}

// namesOf are whom a certificate is for.
func namesOf(c *x509.Certificate) (names []string) {
	for _, n := range c.DNSNames {
		names = append(names, words(n))
	}
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return names[:min(len(names), mostNames)]
}

func (w *walk) close() {
	if w.conn != nil {
		_ = w.conn.Close() // it was only to be opened
	}
}

// refusedTarget is a target that no tool here connects to, whoever asks.
const refusedTarget = "refused_target"

// stopped is an error that its step knows the name of.
type stopped struct {
	problem string
	error
}

func (s stopped) Unwrap() error { return s.error }

// problemOf names what is broken, for whoever reads another language than the system speaks.
func problemOf(err error) string {
	var (
		known     stopped
		refused   outbound.Refused
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		host      x509.HostnameError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &known):
		return known.problem
	case errors.As(err, &refused):
		return refusedTarget
	case errors.As(err, &authority):
		return "unknown_authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "expired"
	case errors.As(err, &host):
		return "wrong_name"
	case errors.Is(err, unix.ECONNREFUSED):
		return "connection_refused"
	case errors.Is(err, unix.ENETUNREACH), errors.Is(err, unix.EHOSTUNREACH):
		return "unreachable"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	}
	return "other"
}
