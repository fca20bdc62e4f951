package multiwan

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/daemon"
	"gateway/internal/process"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// rounds bounds how often the kernel is looked at for one configuration.
const rounds = 4

// apply brings the kernel to now. What is refused that was not refused before is an error, so
// that the change is taken back; what was in trouble already is no reason to refuse others.
func (d *uplinks) apply(ctx context.Context, old, now daemon.Rendering) error {
	if len(now.Files) == 0 {
		return nil // at the first boot nothing was configured yet
	}
	c, err := Parse(now.File(Path))
	if err != nil {
		return fmt.Errorf("read %s: %w", Path, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer process.Notify(d.changed)
	before := d.wrong
	d.release(c)
	d.want, d.known = c, true
	if err := d.settle(ctx); err != nil {
		return err
	}
	if err := d.mark(ctx); err != nil {
		return err
	}
	if len(old.Files) == 0 {
		return nil
	}
	return reconcile.RefusalError(before, d.wrong)
}

// release has the connections of uplinks that go forgotten: another one may get the number.
func (d *uplinks) release(now Config) {
	for _, u := range d.want.Uplinks {
		if next, stays := now.numbered(u.Number); !stays || next.ID != u.ID {
			d.toCut[u.Number] = d.Now()
			process.Notify(d.cutting)
		}
	}
}

// settle brings the routes and rules of the kernel to what is wanted at this moment.
func (d *uplinks) settle(ctx context.Context) error {
	conn, err := d.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	d.loadHealth()
	var refused []reconcile.Trouble
	var last []reconcile.Step
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		have, err := d.look(conn)
		if err != nil {
			return err
		}
		d.judge(ctx, have)
		p := newPlan(d.want, have, d.state)
		d.wrong = slices.Concat(p.wrong, refused)
		d.note(have)
		d.idle = len(p.steps) == 0 && len(d.want.Uplinks) == 0
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

// gatewayProtocols are the protocols of those whose default routes say the gateway of an uplink.
var gatewayProtocols = []uint8{unix.RTPROT_DHCP, unix.RTPROT_RA, unix.RTPROT_BOOT, unix.RTPROT_STATIC, rtnl.Protocol}

// isDefaultRoute reports whether a route is a default route that names a gateway.
func isDefaultRoute(r rtnl.Route) bool {
	return r.Table == unix.RT_TABLE_MAIN && r.Dst.Bits() == 0 && r.Gateway.IsValid()
}

// look reads what there is; the default routes of others only where one is to be followed.
func (d *uplinks) look(conn *rtnl.Conn) (k kernel, err error) {
	if k.links, err = conn.Links(); err != nil {
		return k, fmt.Errorf("list links: %w", err)
	}
	if k.addrs, err = conn.Addrs(); err != nil {
		return k, fmt.Errorf("list addresses: %w", err)
	}
	if k.rules, err = conn.Rules(rtnl.UplinkProtocol); err != nil {
		return k, fmt.Errorf("list rules: %w", err)
	}
	if k.routes, err = conn.Multipaths(rtnl.UplinkProtocol); err != nil {
		return k, fmt.Errorf("list routes: %w", err)
	}
	if !slices.ContainsFunc(d.want.Uplinks, func(u Uplink) bool { return !u.Gateway.IsValid() }) {
		return k, nil
	}
	for _, protocol := range gatewayProtocols {
		routes, err := conn.Routes(protocol)
		if err != nil {
			return k, fmt.Errorf("list routes: %w", err)
		}
		for _, r := range routes {
			if isDefaultRoute(r) {
				k.others = append(k.others, r)
			}
		}
	}
	return k, nil
}

// judge tells each uplink's machine of its carrier, and draws the conclusions.
func (d *uplinks) judge(ctx context.Context, have kernel) {
	carrier := map[string]bool{}
	for _, l := range have.links {
		carrier[l.Name] = l.Up && l.Carrier
	}
	d.noGateway = map[int]bool{}
	now, keep, flipped := d.Now(), map[string]bool{}, false
	for _, u := range d.want.Uplinks {
		keep[u.ID] = true
		d.noGateway[u.Number] = carrier[u.Interface] && !have.hasNextHop(u)
		cfg := u.health()
		cfg.Monitor = u.Monitor && (u.Target.IsValid() || have.gateway(u).IsValid()) // else there is nobody to ask
		m, there := d.machines[u.ID]
		if !there {
			m = health.New(cfg, now)
			if old, known := d.savedHealth[u.ID]; known {
				m.Restore(old)
			}
			d.machines[u.ID], d.acted[u.ID] = m, m.State()
		}
		m.Configure(cfg)
		m.Carrier(carrier[u.Interface] && !d.noGateway[u.Number], now)
		m.Tick(now)
		if was := d.acted[u.ID]; was.Usable() != m.State().Usable() {
			flipped = true
			d.announce(ctx, u, was)
		}
		d.acted[u.ID] = m.State()
	}
	maps.DeleteFunc(d.machines, func(id string, _ *health.Machine) bool { return !keep[id] })
	if flipped {
		d.saveHealth(ctx)
	}
}

// announce says that an uplink ceased to work, or works again.
func (d *uplinks) announce(ctx context.Context, u Uplink, was health.State) {
	s := d.machines[u.ID].Status()
	attrs := []any{"uplink", u.Name, "interface", u.Interface, "was", was, "is", s.State, "loss", max(s.Loss, 0), "rtt_ms", s.RTT.Milliseconds()}
	if s.State.Usable() {
		d.Log.InfoContext(ctx, "an uplink works again", attrs...)
	} else {
		d.Log.WarnContext(ctx, "an uplink failed", attrs...)
	}
}

// state is that of an uplink by its number.
func (d *uplinks) state(number int) health.State {
	u, is := d.want.numbered(number)
	if !is {
		return health.NoCarrier
	}
	if m, judged := d.machines[u.ID]; judged {
		return m.State()
	}
	return health.Unknown
}

// note keeps what the marks follow from, and has the connections cut that hang on an uplink
// which failed, and which a group has something better for: of which group a connection is,
// nobody knows. Where nothing better is left they stay.
func (d *uplinks) note(have kernel) {
	was, wasOutdone := d.chosen, d.outdone
	d.chosen, d.outdone, d.gateways = map[int]bool{}, map[int]bool{}, map[int]string{}
	for _, u := range d.want.Uplinks {
		if g := have.gateway(u); g.IsValid() {
			d.gateways[u.Number] = g.String()
		}
	}
	for _, g := range d.want.Groups {
		using := g.choose(d.state)
		for _, m := range using {
			d.chosen[m.Uplink] = true
		}
		better := len(using) > 0 && d.state(using[0].Uplink).Usable()
		for _, m := range g.Members {
			if better && !d.state(m.Uplink).Usable() {
				d.outdone[m.Uplink] = true
			}
		}
	}
	for n := range was {
		over := !d.chosen[n] || d.outdone[n] && !wasOutdone[n]
		if _, wanted := d.want.numbered(n); wanted && over && !d.state(n).Usable() {
			d.toCut[n] = d.Now()
			process.Notify(d.cutting)
		}
	}
	maps.DeleteFunc(d.toCut, func(n int, _ time.Time) bool { return d.chosen[n] && !d.outdone[n] })
}

// mark has the kernel mark connections as it is wanted now.
func (d *uplinks) mark(ctx context.Context) error {
	if len(d.want.Uplinks) > 0 {
		return d.loadMarking(ctx, marking(d.want, func(u Uplink) string { return d.gateways[u.Number] }))
	}
	if string(d.marked.text) == unmarking {
		return nil // nobody else makes it
	}
	return d.loadMarking(ctx, []byte(unmarking))
}

// target is whom to ask about an uplink.
func (d *uplinks) target(u Uplink) netip.Addr {
	if u.Target.IsValid() {
		return u.Target
	}
	ip, err := netip.ParseAddr(d.gateways[u.Number])
	if err != nil {
		return netip.Addr{}
	}
	return ip
}
