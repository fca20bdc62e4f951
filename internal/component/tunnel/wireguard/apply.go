package wireguard

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// rounds bounds how often the kernel is looked at for one configuration.
const rounds = 5

// noWireGuard is what a tunnel lacks where the kernel cannot make one.
var noWireGuard = fault.Said("this kernel has no WireGuard")

// wanted is what the kernel is to have, with the secrets to it.
type wanted struct {
	Config
	keys Keys
}

func read(r daemon.Rendering) (w wanted, err error) {
	if w.Config, err = Parse(r.File(Path)); err != nil {
		return w, fmt.Errorf("read %s: %w", Path, err)
	}
	if w.keys, err = ParseKeys(r.File(KeyPath)); err != nil {
		return w, fmt.Errorf("read %s: %w", KeyPath, err)
	}
	return w, nil
}

// apply brings the kernel to now. What is refused that was not refused before is an error, so
// that the change is taken back; what was in trouble already is no reason to refuse others.
func (d *tunnels) apply(ctx context.Context, old, now daemon.Rendering) error {
	if len(now.Files) == 0 {
		return nil // at the first boot nothing was configured yet
	}
	w, err := read(now)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.wake()
	before := d.wrong
	d.want, d.known = w, true
	if err := d.settle(ctx); err != nil {
		return err
	}
	if len(old.Files) == 0 {
		return nil
	}
	return refusalError(before, d.wrong)
}

// refusalError words the refusals that are new.
func refusalError(before, now []reconcile.Trouble) error {
	for _, t := range reconcile.NewRefusals(before, now) {
		if t.Why.Text == noWireGuard.Text {
			return fault.New(fault.Conflict, "this kernel has no WireGuard: %s cannot be active; install a kernel with the module wireguard", fault.Named(t.Subject)).WithCode("no_wireguard")
		}
	}
	return reconcile.RefusalError(before, now)
}

// settle brings the kernel to what is wanted at this moment.
func (d *tunnels) settle(ctx context.Context) error {
	conn, err := d.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	d.recalled.Do(d.recallEndpoints)
	now := d.Now()
	d.wrong = nil
	links, err := d.links(ctx, conn)
	if err != nil {
		return err
	}
	want, ends := d.present(links, now)
	if err := d.devices(want, ends, now); err != nil {
		return err
	}
	err = d.network(ctx, conn, want, ends)
	d.looked = err == nil
	return err
}

// WithoutAddress is the trouble of a tunnel that is to take all, but by an endpoint that cannot be dialled.
func WithoutAddress(tunnel, endpoint string) reconcile.Trouble {
	return reconcile.Trouble{
		Kind: reconcile.Missing, Subject: "tunnel " + tunnel,
		Why: fault.Said("the endpoint %s has no address yet, and until then nothing is sent there", endpoint),
	}
}

func (d *tunnels) trouble(kind, subject string, why fault.Sentence) {
	d.wrong = append(d.wrong, reconcile.Trouble{Kind: kind, Subject: subject, Why: why})
}

// ours reports whether we made a link.
func (d *tunnels) ours(l rtnl.Link) bool { return l.Group == rtnl.Group && l.Kind == d.Kind }

// links removes those of tunnels that are gone and makes those that are not there.
func (d *tunnels) links(ctx context.Context, conn *rtnl.Conn) ([]rtnl.Link, error) {
	have, err := conn.Links()
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	changed := false
	for _, l := range have {
		if d.ours(l) && !slices.ContainsFunc(d.want.Tunnels, func(t Tunnel) bool { return t.Name == l.Name }) {
			changed = true
			if err := do(conn, rtnl.DeleteLink(l.Index)); err != nil && !errors.Is(err, unix.ENODEV) {
				d.trouble(reconcile.Refused, "tunnel "+l.Name, fault.SentenceOf(err))
			}
		}
	}
	for _, t := range d.want.Tunnels {
		i := slices.IndexFunc(have, func(l rtnl.Link) bool { return l.Name == t.Name })
		if i >= 0 && !d.ours(have[i]) {
			d.trouble(reconcile.Conflict, "tunnel "+t.Name, fault.Said("an interface of this name exists already and was not made by the gateway"))
		}
		if i >= 0 {
			continue
		}
		changed = true
		switch err := d.Make(ctx, conn, t.Name); {
		case errors.Is(err, unix.EOPNOTSUPP):
			d.trouble(reconcile.Refused, "tunnel "+t.Name, noWireGuard)
		case err != nil:
			d.trouble(reconcile.Refused, "tunnel "+t.Name, fault.SentenceOf(err))
		default:
			d.forget(t.Name)
		}
	}
	if !changed {
		return have, nil
	}
	return conn.Links()
}

// makeLink has the kernel make one, which loads its module where it is one.
func makeLink(_ context.Context, conn *rtnl.Conn, name string) error {
	return do(conn, rtnl.CreateLink(rtnl.Link{Name: name, Kind: linkKind}))
}

func do(conn *rtnl.Conn, m rtnl.Message) error {
	errs, err := conn.Do([]rtnl.Message{m})
	if err != nil || errs == nil {
		return err
	}
	return errs[0]
}

// present are the tunnels whose links are there and ours, with the peers of this moment, and
// the addresses at which peers are dialled.
func (d *tunnels) present(links []rtnl.Link, now time.Time) (want []Tunnel, ends []netip.Addr) {
	for _, t := range d.want.Tunnels {
		if !slices.ContainsFunc(links, func(l rtnl.Link) bool { return l.Name == t.Name && d.ours(l) }) {
			continue
		}
		t.Peers = slices.DeleteFunc(slices.Clone(t.Peers), func(p Peer) bool { return !p.live(now) })
		for i, p := range t.Peers {
			at, ok := d.target(p.Endpoint)
			if ok {
				ends = append(ends, at.Addr())
			}
			t.Peers[i].unresolved = !ok && p.Endpoint != ""
			if t.Peers[i].unresolved && slices.ContainsFunc(p.AllowedIPs, takesAll) {
				d.wrong = append(d.wrong, WithoutAddress(t.Name, p.Endpoint))
			}
		}
		want = append(want, t)
	}
	return want, ends
}

// devices tells each tunnel's device what differs.
func (d *tunnels) devices(want []Tunnel, ends []netip.Addr, now time.Time) error {
	if len(want) == 0 {
		return nil
	}
	wg, err := d.WG()
	if err != nil {
		return fmt.Errorf("speak to WireGuard: %w", err)
	}
	defer wg.Close()
	mark := 0
	if marked(want, ends) {
		mark = fullMark
	}
	for _, t := range want {
		if err := d.device(wg, t, mark, now); err != nil {
			d.trouble(reconcile.Refused, "tunnel "+t.Name, wording(t, err))
		}
	}
	return nil
}

func wording(t Tunnel, err error) fault.Sentence {
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return fault.Said("another program listens on UDP port %d", t.Port)
	case errors.Is(err, os.ErrNotExist):
		return fault.Said("its interface is gone")
	}
	return fault.SentenceOf(err)
}

func (d *tunnels) device(wg Devices, t Tunnel, mark int, now time.Time) error {
	want, ok := newDevice(t, d.want.keys, now)
	if !ok {
		return fault.Say("its private key is missing")
	}
	want.mark = mark
	have, err := wg.Device(t.Name)
	if err != nil {
		return err
	}
	d.setEndpoints(&want, t)
	c, differs := diff(want, have)
	if !differs {
		return nil
	}
	return wg.ConfigureDevice(t.Name, c)
}

// network leads links, addresses, routes and rules of tunnels to what is wanted.
func (d *tunnels) network(ctx context.Context, conn *rtnl.Conn, want []Tunnel, ends []netip.Addr) error {
	var refused []reconcile.Trouble
	var last []reconcile.Step
	before := d.wrong
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		have, err := look(conn, marked(want, ends))
		if err != nil {
			return err
		}
		p := newPlan(want, have, ends)
		d.wrong = slices.Concat(before, p.wrong, refused)
		if len(p.steps) == 0 || reconcile.SameSteps(p.steps, last) {
			return nil
		}
		last = p.steps
		if refused, err = reconcile.Send(conn, p.steps); err != nil {
			return err
		}
	}
	return nil
}

// look reads what there is; the routes of others are read only where their default matters.
func look(conn *rtnl.Conn, full bool) (k kernel, err error) {
	if k.links, err = conn.Links(); err != nil {
		return k, fmt.Errorf("list links: %w", err)
	}
	if k.addrs, err = conn.Addrs(); err != nil {
		return k, fmt.Errorf("list addresses: %w", err)
	}
	if k.rules, err = conn.Rules(rtnl.TunnelProtocol); err != nil {
		return k, fmt.Errorf("list rules: %w", err)
	}
	protocol := uint8(rtnl.TunnelProtocol)
	if full {
		protocol = 0
	}
	if k.routes, err = conn.Routes(protocol); err != nil {
		return k, fmt.Errorf("list routes: %w", err)
	}
	k.routes = slices.DeleteFunc(k.routes, func(r rtnl.Route) bool { return r.Protocol != rtnl.TunnelProtocol && r.Dst.Bits() != 0 })
	return k, nil
}
