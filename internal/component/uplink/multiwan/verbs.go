package multiwan

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"gateway/internal/component/uplink/health"
	"gateway/internal/process"
	"gateway/internal/rtnl/reconcile"
)

// The verbs of the component.
const (
	// StatusVerb answers a Report.
	StatusVerb = "status"
	// ProbeVerb takes what became of probes (Probed), and answers whom to probe (Targets):
	// gateway-apply has no network.
	ProbeVerb = "probe"
)

// Report is what StatusVerb answers.
type Report struct {
	Known   bool                `json:"known"` // what is wanted; else nothing was read since the start
	Uplinks []UplinkStatus      `json:"uplinks"`
	Groups  []GroupStatus       `json:"groups"`
	Wrong   []reconcile.Trouble `json:"wrong"` // what is wanted and not there
}

// UplinkStatus is one that is active.
type UplinkStatus struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Interface string     `json:"interface"`
	Gateway   netip.Addr `json:"gateway,omitzero"` // as it is used
	Target    netip.Addr `json:"target,omitzero"`  // who is asked
	Chosen    bool       `json:"chosen"`           // it takes new connections
	health.Status
}

// GroupStatus says which of its members a group uses.
type GroupStatus struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []string `json:"members"` // ids of those that are active
	Using   []string `json:"using"`   // ids
	Usable  bool     `json:"usable"`  // one of them works
	Empty   bool     `json:"empty"`   // it has no members, so none can fail
}

// Probed is what became of probes, by the id of the uplink.
type Probed map[string][]Probe

// Probe is one echo request whose fate is known. A lost one may be told again, answered.
type Probe struct {
	Seq  uint64        `json:"seq"`
	Age  time.Duration `json:"age"` // since it was sent
	RTT  time.Duration `json:"rtt,omitempty"`
	Lost bool          `json:"lost,omitempty"`
}

// Targets are whom to probe.
type Targets struct {
	Targets []Target `json:"targets"`
}

// Target is one that is to be asked through one interface.
type Target struct {
	Uplink    string        `json:"uplink"` // id
	Interface string        `json:"interface"`
	Address   netip.Addr    `json:"address"`
	Interval  time.Duration `json:"interval"`
	Timeout   time.Duration `json:"timeout"` // after which a probe counts as lost
	// Closer says to ask more often for as long after a bad probe.
	Closer time.Duration `json:"closer"`
}

func (d *uplinks) status(ctx context.Context, _ json.RawMessage) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known && d.gateways == nil { // nobody looked yet
		if err := d.settle(ctx); err != nil {
			return nil, err
		}
	}
	out := Report{Known: d.known, Uplinks: []UplinkStatus{}, Groups: []GroupStatus{}, Wrong: append([]reconcile.Trouble{}, d.wrong...)}
	for _, u := range d.want.Uplinks {
		m, judged := d.machines[u.ID]
		if !judged {
			continue
		}
		gateway, _ := netip.ParseAddr(d.gateways[u.Number])
		status := m.Status()
		if d.noGateway[u.Number] {
			status.State = health.Down // not for want of a carrier
		}
		out.Uplinks = append(out.Uplinks, UplinkStatus{
			ID: u.ID, Name: u.Name, Interface: u.Interface, Gateway: gateway, Target: d.target(u), Chosen: d.chosen[u.Number], Status: status,
		})
	}
	for _, g := range d.want.Groups {
		s := GroupStatus{ID: g.ID, Name: g.Name, Members: []string{}, Using: []string{}, Empty: len(g.Members) == 0}
		for _, m := range g.Members {
			u, _ := d.want.numbered(m.Uplink)
			s.Members = append(s.Members, u.ID)
		}
		for _, m := range g.choose(d.state) {
			u, _ := d.want.numbered(m.Uplink)
			s.Using = append(s.Using, u.ID)
			s.Usable = s.Usable || d.state(m.Uplink).Usable()
		}
		out.Groups = append(out.Groups, s)
	}
	return out, nil
}

// probe takes what became of probes, acts on it at once, and answers whom to probe.
func (d *uplinks) probe(ctx context.Context, in json.RawMessage) (any, error) {
	var probed Probed
	if len(in) > 0 {
		if err := json.Unmarshal(in, &probed); err != nil {
			return nil, fmt.Errorf("read what became of probes: %w", err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.known {
		return Targets{Targets: []Target{}}, nil
	}
	if d.take(probed) {
		if err := d.settle(ctx); err != nil {
			return nil, err
		}
		process.Notify(d.changed)
	}
	return d.targets(), nil
}

// take gives the machines what became of probes, and reports whether that changes what is used.
func (d *uplinks) take(probed Probed) (flips bool) {
	now := d.Now()
	for id, probes := range probed {
		m, is := d.machines[id]
		if !is {
			continue
		}
		for _, p := range probes {
			m.Report(now, health.Probe{Seq: p.Seq, At: now.Add(-p.Age), RTT: p.RTT, Lost: p.Lost})
		}
		flips = m.Tick(now) || flips
	}
	return flips
}

func (d *uplinks) targets() Targets {
	out := Targets{Targets: []Target{}}
	for _, u := range d.want.Uplinks {
		at := d.target(u)
		m, is := d.machines[u.ID]
		if !u.Monitor || !is || !at.IsValid() || m.State() == health.NoCarrier {
			continue
		}
		t := Target{Uplink: u.ID, Interface: u.Interface, Address: at, Interval: time.Duration(u.Interval) * time.Millisecond, Timeout: u.health().Timeout()}
		if m.State().Usable() {
			t.Closer = time.Duration(u.Window) * time.Second
		}
		out.Targets = append(out.Targets, t)
	}
	return out
}

// marksDiffer reports whether the marks follow from something else than when they were loaded.
func (d *uplinks) marksDiffer() bool {
	if len(d.want.Uplinks) == 0 {
		return false
	}
	return !bytes.Equal(d.marked.text, marking(d.want, func(u Uplink) string { return d.gateways[u.Number] }))
}

// saveHealth keeps what is known for a restart. A failure is no reason not to act on it.
func (d *uplinks) saveHealth(ctx context.Context) {
	if d.HealthFile == "" {
		return
	}
	all := map[string]health.Status{}
	for id, m := range d.machines {
		all[id] = m.Status()
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = renameio.WriteFile(d.HealthFile, data, 0o600)
	}
	if err != nil {
		d.Log.WarnContext(ctx, "remember the state of uplinks", "err", err)
	}
}

// loadHealth begins with what was known last: an uplink that failed is not tried anew
// because this process was restarted.
func (d *uplinks) loadHealth() {
	if d.HealthFile == "" || d.savedHealth != nil {
		return
	}
	d.savedHealth = map[string]health.Status{}
	data, err := os.ReadFile(d.HealthFile)
	if err != nil || json.Unmarshal(data, &d.savedHealth) != nil {
		d.savedHealth = map[string]health.Status{} // they are judged anew
	}
}
