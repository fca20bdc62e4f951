package kea

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// Unavailable is the code of a server that does not run or does not answer.
const Unavailable = "dhcp_unavailable"

// apply makes Kea run on what is installed. It is never restarted for that: a Kea with the hooks
// for it (3.0) is told the difference, which takes a millisecond; any other reads its file anew,
// and answers nobody for some tenths of a second, which clients do not notice: they repeat.
func (s *server) apply(ctx context.Context, old, now daemon.Rendering) error {
	if now.Off() {
		return nil
	}
	commands, err := s.control.Commands(ctx)
	if errors.Is(err, control.ErrDown) {
		return s.start(ctx)
	}
	if err != nil {
		return fmt.Errorf("ask the DHCP server what it can do: %w", err)
	}
	was, errWas := s.parsed.parse(old)
	is, err := s.parsed.parse(now)
	if err != nil {
		return err
	}
	if errWas != nil || !s.tell(ctx, commands, was, is) {
		if err := s.introduce(ctx, was, is); err != nil {
			return err
		}
		if err := s.reload(ctx); err != nil {
			return err
		}
	}
	if errWas == nil {
		s.makeRoom(ctx, was, is)
	}
	return nil
}

// introduce has Kea look for interfaces that it was not told of yet: it does that only after it
// has read the subnets, and refuses those of interfaces that it does not know.
func (s *server) introduce(ctx context.Context, was, is config) error {
	isNew := func(name string) bool { return !slices.Contains(was.Interfaces.Names, name) }
	if !slices.ContainsFunc(is.Interfaces.Names, isNew) {
		return nil
	}
	is.Subnets = slices.DeleteFunc(slices.Clone(is.Subnets), func(sub subnetConf) bool { return isNew(sub.Interface) })
	is.Shared = slices.DeleteFunc(slices.Clone(is.Shared), func(network sharedConf) bool { return isNew(network.Interface) })
	return refusal(s.control.Do(ctx, "config-set", document{is}, nil))
}

// reload has Kea read its file anew. One that it refuses leaves it running on what it has.
func (s *server) reload(ctx context.Context) error {
	return refusal(s.control.Do(ctx, "config-reload", nil, nil))
}

func refusal(err error) error {
	var refused *control.Refused
	if errors.As(err, &refused) {
		return errors.Join(fault.New(fault.Unavailable, "the DHCP server rejected its configuration; see the log of %s", Unit).WithCode(Unavailable), err)
	}
	if err != nil {
		return fmt.Errorf("reload the DHCP server: %w", err)
	}
	return nil
}

const (
	// startTime is for Kea to answer after its start; it reads its leases first.
	startTime = 15 * time.Second
	startLook = 20 * time.Millisecond
)

// start starts Kea and waits until it answers. One that ran without a control socket gets it by
// a restart: there is no other way to tell it anything.
func (s *server) start(ctx context.Context) error {
	if err := s.Units.Start(ctx, Unit); err != nil {
		return inWords(err)
	}
	if s.answers(ctx, startTime/3) {
		return nil
	}
	if err := s.Units.Restart(ctx, Unit); err != nil {
		return inWords(err)
	}
	if s.answers(ctx, startTime) {
		return nil
	}
	return fault.New(fault.Unavailable, "the DHCP server did not start; see the log of %s", Unit).WithCode(Unavailable)
}

func (s *server) answers(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(startLook)
	defer tick.Stop()
	for {
		if _, err := s.control.Status(ctx); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "the DHCP server did not start; see the log of %s", Unit).WithCode(Unavailable), err)
}

// step is one command to a running Kea.
type step struct {
	command   string
	arguments any
}

// maxSteps is what is told one by one; beyond that one reload is faster.
const maxSteps = 1000

// tell reports whether Kea now has the difference. It cannot be half done: a reload follows where
// something went wrong.
func (s *server) tell(ctx context.Context, commands []string, was, is config) bool {
	all, ok := steps(was, is)
	if !ok || len(all) > maxSteps {
		return false
	}
	for _, one := range all {
		if !slices.Contains(commands, one.command) {
			return false
		}
	}
	for _, one := range all {
		if err := s.control.Do(ctx, one.command, one.arguments, nil); err != nil {
			s.Log.WarnContext(ctx, "tell the DHCP server", "err", err)
			return false
		}
	}
	return true
}

// steps are the commands that lead from one configuration to another; false where there are
// none for it, as for other interfaces, whose sockets only a reload opens.
func steps(was, is config) ([]step, bool) {
	before, after := was.places(), is.places()
	out := removals(was, before, after)
	for _, sub := range is.all() {
		at := after[sub.ID]
		old, there := before[sub.ID]
		if !there {
			out = append(out, at.additions()...)
			old = at
			old.subnet.Reservations = nil
		}
		reserved := old.subnet.Reservations
		// What is ours Kea keeps and does nothing with: not worth a reload.
		old.subnet.Reservations, old.subnet.Context = sub.Reservations, sub.Context
		if !reflect.DeepEqual(old, at) {
			return nil, false
		}
		out = append(out, reservationSteps(sub.ID, reserved, sub.Reservations)...)
	}
	alike := slices.EqualFunc(was.Shared, is.Shared, func(a, b sharedConf) bool { return a.Name == b.Name && a.Interface == b.Interface })
	was.Subnets, was.Shared = is.Subnets, is.Shared
	return out, alike && reflect.DeepEqual(was, is)
}

// place is a subnet with the name of the shared network that it is in; empty for none.
type place struct {
	network string
	subnet  subnetConf
}

// places are where the subnets are, by their numbers.
func (c config) places() map[uint32]place {
	out := map[uint32]place{}
	for _, sub := range c.Subnets {
		out[sub.ID] = place{"", sub}
	}
	for _, network := range c.Shared {
		for _, sub := range network.Subnets {
			out[sub.ID] = place{network.Name, sub}
		}
	}
	return out
}

func removals(was config, before, after map[uint32]place) (out []step) {
	for _, sub := range was.all() {
		if _, stays := after[sub.ID]; stays {
			continue
		}
		if name := before[sub.ID].network; name != "" {
			out = append(out, step{"network4-subnet-del", map[string]any{"name": name, "id": sub.ID}})
		}
		out = append(out, step{"subnet4-del", map[string]any{"id": sub.ID}})
	}
	return out
}

// additions bring a subnet without its reservations.
func (p place) additions() []step {
	bare := p.subnet
	bare.Reservations = []reservationConf{}
	out := []step{{"subnet4-add", map[string]any{"subnet4": []subnetConf{bare}}}}
	if p.network != "" {
		out = append(out, step{"network4-subnet-add", map[string]any{"name": p.network, "id": bare.ID}})
	}
	return out
}

// memory is where the reservations of the file are.
const memory = "memory"

// reservationSteps removes first: an address or a client may only be reserved once.
func reservationSteps(subnet uint32, was, is []reservationConf) (out []step) {
	before, after := setOf(was), setOf(is)
	for _, r := range was {
		if !after[r] {
			out = append(out, step{"reservation-del", map[string]any{"subnet-id": subnet, "ip-address": r.Address, "operation-target": memory}})
		}
	}
	for _, r := range is {
		if !before[r] {
			out = append(out, step{"reservation-add", map[string]any{"operation-target": memory, "reservation": struct {
				Subnet uint32 `json:"subnet-id"`
				reservationConf
			}{subnet, r}}})
		}
	}
	return out
}

// setOf is for many lookups: there may be ten thousands of them.
func setOf(list []reservationConf) map[reservationConf]bool {
	out := make(map[reservationConf]bool, len(list))
	for _, r := range list {
		out[r] = true
	}
	return out
}

// maxMoved bounds how many clients are looked for at one change: an import of thousands takes
// effect as their leases run out.
const maxMoved = 200

// makeRoom ends the leases that clients have of other addresses than what was reserved for them
// just now: they would go on renewing them. What fails is no failure of the change.
func (s *server) makeRoom(ctx context.Context, was, is config) {
	before := was.places()
	looked := 0
	for _, sub := range is.all() {
		reserved := setOf(before[sub.ID].subnet.Reservations)
		for _, r := range sub.Reservations {
			if reserved[r] {
				continue
			}
			if looked++; looked > maxMoved {
				return
			}
			if err := s.move(ctx, sub.ID, r); err != nil {
				s.Log.WarnContext(ctx, "move a client to its reserved address", "err", err)
				return
			}
		}
	}
}

func (s *server) move(ctx context.Context, subnet uint32, r reservationConf) error {
	leases, err := s.control.LeasesOf(ctx, r.MAC, r.ClientID)
	if err != nil {
		return err
	}
	for _, l := range leases {
		if l.Subnet == subnet && l.Address != r.Address {
			if _, err := s.control.Release(ctx, l.Address); err != nil {
				return err
			}
		}
	}
	return nil
}
