package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/component/proxy/reach"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/outbound"
	"gateway/internal/sys"
	"gateway/internal/value"
)

const (
	// reachChannel is where gateway-scheduler hears questions: this process reaches nobody.
	reachChannel = "proxy_reach"
	// reachTime is for the test and the way there and back.
	reachTime = reach.Limit + 2*time.Second
	// testsPerMinute are plenty for somebody who types, and few for somebody who scans.
	testsPerMinute = 60
)

// ReachInput is what somebody is about to publish.
type ReachInput struct {
	Domain     string         `json:"domain,omitempty" maxLength:"253" doc:"Name of the domain; empty: no name is tested" example:"www.example.com"`
	Servers    []reach.Server `json:"servers,omitempty" maxItems:"16" doc:"Servers to test"`
	Scheme     string         `json:"scheme,omitempty" enum:"http,https,tcp" default:"http" doc:"Protocol to the servers; tcp only connects"`
	HealthPath string         `json:"health_path,omitempty" maxLength:"256" default:"/" doc:"Path that is requested"`
}

func (s *service) reachRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "test-reach", Method: http.MethodPost, Path: "/proxy/reach", AtOnce: 4,
		Summary: "Test whether DNS points here and servers answer",
		Description: "Resolves the name and sends one request to each server, from this node, within three seconds. Nothing is changed. " +
			"Addresses of this node itself and link-local ones are not tested, and at most 60 tests a minute are made.",
	}, s.testReach)
}

func (s *service) testReach(ctx context.Context, in *struct{ Body ReachInput }) (*api.Body[reach.Answer], error) {
	q, err := in.Body.question()
	if err != nil {
		return nil, err
	}
	if wait := s.pace.take(time.Now()); wait > 0 {
		return nil, fault.New(fault.TooMany, "too many tests in one minute; wait a moment").WithRetry(wait)
	}
	out := reach.Untested(q)
	// It changes nothing, but it sends something in the node's name: so the log knows who had it sent.
	c := change.Change{Component: haproxyconf.Name, Action: "proxy.reach", Subject: subjectOf(q)}
	err = s.Run.Act(ctx, c, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, reachTime)
		defer cancel()
		err := s.Questions.Ask(ctx, reachChannel, q, &out)
		if errors.Is(err, db.ErrUnanswered) {
			return nil // the answer says so of each part
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

// question puts every value into its one form.
func (in ReachInput) question() (reach.Question, error) {
	var p fault.Problems
	var err error
	q := reach.Question{Servers: in.Servers, Scheme: in.Scheme, Path: in.HealthPath}
	if in.Domain != "" {
		if q.Domain, err = haproxyconf.DomainName(in.Domain); err != nil {
			p.AddError("domain", err)
		}
	}
	for i := range q.Servers {
		if q.Servers[i].Address, err = value.HostOrName(q.Servers[i].Address); err != nil {
			p.AddError(fmt.Sprintf("servers[%d].address", i), err)
		}
	}
	if err := haproxyconf.URLPath(q.Path); err != nil {
		p.AddError("health_path", err)
	}
	return q, p.Err()
}

// subjectOf names what is tested, for the audit log.
func subjectOf(q reach.Question) string {
	var all []string
	if q.Domain != "" {
		all = append(all, q.Domain)
	}
	for _, s := range q.Servers {
		all = append(all, fmt.Sprintf("%s port %d", s.Address, s.Port))
	}
	if len(all) > 3 {
		all = append(all[:3], fmt.Sprintf("%d more", len(all)-3))
	}
	return strings.Join(all, ", ")
}

// answerReach runs in gateway-scheduler.
func (s *service) answerReach(ctx context.Context, question json.RawMessage) (any, error) {
	var q reach.Question
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	own, err := s.addresses() // without them the node itself could be what is tested
	if err != nil {
		return nil, err
	}
	t := reach.Tester{Lookup: s.Lookup, Dial: s.Dial, Own: own}
	if t.Dial == nil {
		t.Dial = s.dialOthers
	}
	return t.Test(ctx, q), nil
}

// dialOthers reaches what is not this node itself.
func (s *service) dialOthers(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := outbound.Dialer(s.addresses).DialContext(ctx, network, address)
	var local outbound.Refused
	if errors.As(err, &local) {
		return nil, errors.Join(reach.ErrNotAllowed, err)
	}
	return conn, err
}

// addresses are this node's own.
func (s *service) addresses() ([]netip.Addr, error) {
	links, err := s.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list own addresses: %w", err)
	}
	return sys.Addresses(links), nil
}

// pace bounds how many tests are made in a minute.
type pace struct {
	mu   sync.Mutex
	made []time.Time
}

// take notes a test, or says how long to wait for the next one.
func (p *pace) take(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.made) > 0 && now.Sub(p.made[0]) >= time.Minute {
		p.made = p.made[1:]
	}
	if len(p.made) >= testsPerMinute {
		return time.Minute - now.Sub(p.made[0])
	}
	p.made = append(p.made, now)
	return 0
}
