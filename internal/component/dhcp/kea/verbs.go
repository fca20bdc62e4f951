package kea

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/fault"
)

// The verbs, by name.
const (
	StatusVerb  = "status"
	LeasesVerb  = "leases"
	ReleaseVerb = "release"
	UsedVerb    = "used"
	CountVerb   = "count"
)

const (
	// askTime is how long Kea may take to answer: one that hangs serves nobody either.
	askTime = 3 * time.Second
	// statusTime is how long it may take to say how it is. Whoever looks for problems waits for two
	// seconds, and has to hear that it hangs by then.
	statusTime = time.Second
)

// Status is how the server is doing.
type Status struct {
	Uptime     int64    `json:"uptime"`
	Sockets    string   `json:"sockets"` // ready, retrying or failed
	Interfaces []string `json:"interfaces"`
	Subnets    []string `json:"subnets"` // networks whose clients are served
}

func (s *server) status(ctx context.Context, _ json.RawMessage) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	got, err := s.control.Status(ctx)
	if err != nil {
		return nil, down(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Status{Uptime: got.Uptime, Sockets: got.Sockets.Status, Interfaces: append([]string{}, s.running.Interfaces.Names...)}
	for _, sub := range s.running.all() {
		out.Subnets = append(out.Subnets, sub.Subnet)
	}
	return out, nil
}

// list answers which leases there are.
func (s *server) list(ctx context.Context, in json.RawMessage) (any, error) {
	var q LeaseQuery
	if err := json.Unmarshal(in, &q); err != nil {
		return nil, fmt.Errorf("decode the question for leases: %w", err)
	}
	all, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	return q.page(all), nil
}

// current are the leases: from the table where that has all of them, and else of Kea.
func (s *server) current(ctx context.Context) ([]Lease, error) {
	all, synced := s.leases.all(s.Now())
	if synced {
		return all, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	fresh, err := s.control.Leases(ctx)
	if err != nil {
		return nil, down(err)
	}
	all, _ = s.leases.with(fresh).all(s.Now())
	return all, nil
}

// Used are the addresses of all leases.
type Used struct {
	Leased   Addresses `json:"leased"`
	Declined Addresses `json:"declined"`
}

// Addresses are four bytes each. Leases as they are listed hold whatever a client sent: those of a
// full network would not fit into an answer.
type Addresses []byte

// All are the addresses, in order.
func (a Addresses) All() (out []netip.Addr) {
	for four := range slices.Chunk(a, 4) {
		if addr, ok := netip.AddrFromSlice(four); ok {
			out = append(out, addr)
		}
	}
	return out
}

func (s *server) used(ctx context.Context, _ json.RawMessage) (any, error) {
	all, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	var u Used
	for _, l := range all {
		if l.Declined {
			u.Declined = append(u.Declined, l.Address.AsSlice()...)
		} else {
			u.Leased = append(u.Leased, l.Address.AsSlice()...)
		}
	}
	return u, nil
}

// Count is how many leases there are.
type Count struct {
	Leased   int  `json:"leased"`
	Declined int  `json:"declined"`
	Off      bool `json:"off"` // it is switched off: there is no number
}

// count is asked every few seconds, so it copies nothing where the table has all of them.
func (s *server) count(ctx context.Context, _ json.RawMessage) (any, error) {
	s.mu.Lock()
	off := s.off
	s.mu.Unlock()
	if off {
		return Count{Off: true}, nil
	}
	if c, synced := s.leases.count(s.Now()); synced {
		return c, nil
	}
	all, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	var c Count
	for _, l := range all {
		c.add(l)
	}
	return c, nil
}

func (c *Count) add(l Lease) {
	if l.Declined {
		c.Declined++
	} else {
		c.Leased++
	}
}

// release ends the lease of an address.
func (s *server) release(ctx context.Context, in json.RawMessage) (any, error) {
	var addr netip.Addr
	if err := json.Unmarshal(in, &addr); err != nil {
		return nil, fmt.Errorf("decode the address: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	found, err := s.control.Release(ctx, addr.String())
	if err == nil && !found {
		return nil, fault.New(fault.NotFound, "there is no lease of %s", addr)
	}
	return nil, down(err)
}

// down words what the operator can mend.
func down(err error) error {
	if errors.Is(err, control.ErrDown) || errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(fault.New(fault.Unavailable, "the DHCP server does not answer; see the log of %s", Unit).WithCode(Unavailable), err)
	}
	return err
}
