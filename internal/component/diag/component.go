// Package diag offers the tools by which an operator finds out why something is not reached:
// ping, traceroute, dig, curl, tcp, the MTU, and all steps of a connection at once.
// gateway-scheduler, which may speak to the outside and has
// no privilege, runs them; how is left to package probe. Packets are recorded by gateway-capture,
// and kept by package recorder. What a support bundle has is package bundle's.
package diag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/diag/bundle"
	"gateway/internal/component/diag/probe"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/packetfilter"
	"gateway/internal/sys"
)

const (
	name = "diag"
	// channel is where gateway-scheduler hears questions: this process reaches nobody.
	channel = "diag_try"
	// pathChannel is for the questions whose answer has steps.
	pathChannel = "diag_path"
	// onTheWay is for the way there and back.
	onTheWay = 2 * time.Second
	atOnce   = 4
)

type questions interface {
	Ask(ctx context.Context, channel string, in, out any) error
}

// Options are what the component needs.
type Options struct {
	Run *change.Runner
	// Questions is the way to gateway-scheduler, which answers them with what follows.
	Questions questions // db.Questions
	Host      interface {
		Interfaces() ([]sys.Interface, error)
		Route(to netip.Addr) (sys.Route, error)
	}
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Uplink names the uplink on an interface; empty without one.
	Uplink func(ctx context.Context, link string, v4 bool) (string, error)
	// Explain is what the packet filter does with a packet.
	Explain func(ctx context.Context, k packetfilter.Packet) (packetfilter.Trace, error)
	// Captures keeps the packets that were recorded on this node.
	Captures captureKeeper // recorder.Recorder
	// Bundle makes support bundles.
	Bundle bundle.Maker
}

type handlers struct {
	Options
	mu      sync.Mutex
	running map[string]bool // by who asked

	bundling chan struct{} // has one in it while a bundle is made
}

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{Options: o, running: map[string]bool{}, bundling: make(chan struct{}, 1)}
	return component.Component{
		Name: name, Routes: h.routes,
		Answers: map[string]func(context.Context, json.RawMessage) (any, error){channel: h.answer, pathChannel: h.answerPath},
	}
}

func (h *handlers) routes(r api.Router) {
	route(h, r, "ping", "Ping a host", "Sends four echo requests and ends within 12 seconds.", func(in TargetInput) (probe.Question, error) { return in.question("ping") })
	route(h, r, "traceroute", "Trace the route to a host", "By UDP, at most 20 hops, within 60 seconds.", func(in TargetInput) (probe.Question, error) { return in.question("traceroute") })
	route(h, r, "dig", "Look up a DNS record", "Asks this node's resolver.", DigInput.question)
	route(h, r, "curl", "Request a URL", "One GET request within 10 seconds. Redirects are not followed; status and headers are returned, the content is not.", URLInput.question)
	route(h, r, "tcp", "Test a TCP port", "Opens a connection, for which it waits 5 seconds, and closes it.", TCPInput.question)
	route(h, r, "mtu", "Find the MTU of a path", "Searches with echo requests that must not be fragmented for the largest packet that passes there and back, within 20 seconds, and tells the MTU of the outgoing interface.",
		func(in TargetInput) (probe.Question, error) { return in.question("mtu") })
	h.pathRoute(r)
	h.captureRoutes(r)
	h.supportRoute(r)
}

// rules are those of all tools.
const rules = " Nothing is changed; the audit log records who asked for what. One diagnosis per user at a time. " +
	"Local and link-local addresses and those of this node are refused by curl, tcp and path."

// route registers a tool.
func route[In any](h *handlers, r api.Router, tool, summary, description string, question func(In) (probe.Question, error)) {
	limit := probe.Limits()[tool]
	api.Handle(r, api.Op{
		ID: "diag-" + tool, Method: http.MethodPost, Path: "/diagnostics/" + tool, AtOnce: atOnce, Timeout: limit + db.TakeTime + 2*onTheWay, Summary: summary,
		Description: description + rules,
	}, func(ctx context.Context, in *struct{ Body In }) (*api.Body[probe.Result], error) {
		q, err := question(in.Body)
		if err != nil {
			return nil, err
		}
		return ask[probe.Result](ctx, h, asked{tool: tool, subject: subject(q), channel: channel, question: q})
	})
}

// asked is what goes to gateway-scheduler.
type asked struct {
	tool, subject string // for the audit log
	channel       string
	question      any
}

// ask has a question answered, one at a time of each user.
func ask[Out any](ctx context.Context, h *handlers, q asked) (*api.Body[Out], error) {
	limit := probe.Limits()[q.tool]
	who := identity.From(ctx).Actor()
	if !h.begin(who) {
		return nil, fault.New(fault.TooMany, "another diagnosis of yours is still running; wait until it ends").WithRetry(limit)
	}
	defer h.end(who)
	var out Out
	c := change.Change{Component: name, Action: "diag." + q.tool, Subject: q.subject}
	err := h.Run.Act(ctx, c, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, probe.Limits()[q.tool]+db.TakeTime+onTheWay)
		defer cancel()
		err := h.Questions.Ask(ctx, q.channel, q.question, &out)
		if errors.Is(err, db.ErrUnanswered) {
			return errors.Join(fault.New(fault.Unavailable, "gateway-scheduler, which runs diagnostics, does not answer or has too many of them").WithCode("timeout"), err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

func (h *handlers) begin(who string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running[who] {
		return false
	}
	h.running[who] = true
	return true
}

func (h *handlers) end(who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, who)
}

// subject is what the audit log says was tried. Viewers read it, and what follows the host of a URL may be a secret.
func subject(q probe.Question) string {
	if u, err := url.Parse(q.Target); err == nil && q.Tool == "curl" && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	switch {
	case q.Port > 0:
		return fmt.Sprintf("%s port %d", q.Target, q.Port)
	default:
		return strings.TrimSpace(q.Type + " " + q.Target)
	}
}

// answer runs in gateway-scheduler.
func (h *handlers) answer(ctx context.Context, question json.RawMessage) (any, error) {
	var q probe.Question
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	return h.tools().Try(ctx, q), nil
}

func (h *handlers) tools() probe.Tools {
	return probe.Tools{Lookup: h.Lookup, Own: h.addresses, Ways: probe.Ways{To: h.way, Filter: h.filter}}
}

// addresses are this node's own.
func (h *handlers) addresses() ([]netip.Addr, error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list own addresses: %w", err)
	}
	return sys.Addresses(links), nil
}
