// Package health decides whether an uplink can be used: by probes, by its carrier and by the
// clock that it is given. It sends nothing and changes nothing; probes are package probe's,
// what follows from a verdict package multiwan's.
package health

import (
	"slices"
	"time"
)

// State is how an uplink stands.
type State string

// The states. An uplink that nobody judged yet is used: to wait for a verdict would be an outage.
const (
	Unknown     State = "unknown"     // no verdict, or none any more: the monitor is silent
	Unmonitored State = "unmonitored" // judged by its carrier alone
	Up          State = "up"
	Loss        State = "loss"       // too many probes are lost
	Slow        State = "slow"       // answers take too long
	Down        State = "down"       // no probe is answered, or it is not trusted yet
	NoCarrier   State = "no_carrier" // the cable is out, or the interface down or missing
)

// Usable reports whether new connections may go there.
func (s State) Usable() bool { return s == Up || s == Unknown || s == Unmonitored }

const (
	// confirm is how old trouble must be: a hiccup of half a second moves nobody.
	confirm = time.Second
	// silence is after how long without a report a verdict is out of date.
	silence = 5 * time.Second
	// enough is how many probes a verdict needs.
	enough = 5
	// remembered bounds the history.
	remembered = 50
	// lateAfter is when a probe counts as lost where answers may take as long as they like.
	lateAfter = time.Second
)

// Config is how an uplink is judged.
type Config struct {
	Monitor  bool
	Window   time.Duration // of the probes that count
	LossDown int           // percent from which it is not used; more than 100 for never
	RTTDown  time.Duration // median from which it is not used; 0 for never
	Hold     time.Duration // how long it must work before it is used again
}

// Timeout is how long an answer is awaited before its probe counts as lost.
func (c Config) Timeout() time.Duration {
	if c.RTTDown > 0 {
		return c.RTTDown
	}
	return lateAfter
}

// span is how far back probes count. What became of a lost one is known at its timeout, and must
// count for a while after that: a shorter window would never have any.
func (c Config) span() time.Duration { return max(c.Window, 2*c.Timeout()) }

// Probe is one echo request. A lost one may be answered late; then it is reported again.
type Probe struct {
	Seq  uint64
	At   time.Time     // when it was sent
	RTT  time.Duration // of an answer
	Lost bool
}

// Transition is one change between usable and not.
type Transition struct {
	At    time.Time     `json:"at"`
	State State         `json:"state"` // the new one
	Loss  int           `json:"loss"`  // percent
	RTT   time.Duration `json:"rtt"`
}

// Status is what is known now.
type Status struct {
	State   State         `json:"state"`
	Since   time.Time     `json:"since"` // of being usable, or not
	Loss    int           `json:"loss"`  // percent of the window; -1 while unknown
	RTT     time.Duration `json:"rtt"`   // median of the window; 0 while unknown
	BackAt  time.Time     `json:"back_at,omitzero"`
	History []Transition  `json:"history"` // the oldest first
}

// Machine judges one uplink. It is for one caller at a time.
type Machine struct {
	cfg     Config
	state   State
	since   time.Time
	carrier bool
	probes  []Probe // of the window, by Seq
	heard   time.Time
	good    time.Time // since when an unusable one works; zero while it does not
	ill     time.Time // since when a usable one is in trouble; zero while it is not
	history []Transition
}

// New begins without a verdict.
func New(cfg Config, now time.Time) *Machine {
	m := &Machine{carrier: true, state: Unknown, since: now, heard: now}
	m.Configure(cfg)
	return m
}

// Restore takes up what was known before a restart.
func (m *Machine) Restore(s Status) {
	if m.cfg.Monitor == (s.State != Unmonitored) || s.State == NoCarrier {
		m.state, m.since, m.history = s.State, s.Since, s.History
	}
	m.carrier = m.state != NoCarrier
}

// Configure changes how it is judged from now on.
func (m *Machine) Configure(cfg Config) {
	m.cfg = cfg
	switch {
	case !cfg.Monitor:
		m.probes = nil
		if m.carrier && (m.state.Usable() || m.good.IsZero()) { // else it waits for its time
			m.state = Unmonitored
		}
	case m.state == Unmonitored:
		m.state = Unknown
	}
}

// Report takes probes whose fate is known.
func (m *Machine) Report(now time.Time, all ...Probe) {
	if !m.cfg.Monitor || !m.carrier {
		return
	}
	m.heard = now
	for _, p := range all {
		i, known := slices.BinarySearchFunc(m.probes, p.Seq, func(q Probe, seq uint64) int { return int(int64(q.Seq - seq)) })
		if known {
			m.probes[i] = p
		} else {
			m.probes = slices.Insert(m.probes, i, p)
		}
	}
}

// Carrier says whether the link has a partner.
func (m *Machine) Carrier(on bool, now time.Time) {
	if on == m.carrier {
		return
	}
	m.carrier, m.probes, m.good, m.ill, m.heard = on, nil, time.Time{}, time.Time{}, now
	if !on {
		m.become(NoCarrier, now)
		return
	}
	m.become(Down, now) // until it has shown that it works
	if !m.cfg.Monitor {
		m.good = now
	}
}

// Tick draws the conclusions of a moment, and reports whether the uplink became usable or
// ceased to be.
func (m *Machine) Tick(now time.Time) (flipped bool) {
	was := m.state.Usable()
	switch {
	case !m.carrier:
	case !m.cfg.Monitor:
		if !was && !now.Before(m.good.Add(m.cfg.Hold)) {
			m.become(Unmonitored, now)
		}
	default:
		m.judge(now)
	}
	return was != m.state.Usable()
}

func (m *Machine) judge(now time.Time) {
	m.probes = slices.DeleteFunc(m.probes, func(p Probe) bool { return p.At.Before(now.Add(-m.cfg.span())) })
	if len(m.probes) < enough {
		m.ill = time.Time{}
		if now.Sub(m.heard) > silence { // nobody can say that it still works; a busy node is silent for less
			m.good = time.Time{}
			if m.state.Usable() {
				m.become(Unknown, now)
			}
		}
		return
	}
	loss, rtt := m.figures()
	bad, is := m.trouble(loss, rtt)
	m.note(is)
	switch {
	case is && m.state.Usable() && now.Sub(m.ill) < confirm:
	case is:
		m.good = time.Time{}
		m.become(bad, now)
	case m.state.Usable():
		m.become(Up, now)
	case !m.fine(loss, rtt):
		m.good = time.Time{}
	case m.good.IsZero():
		m.good = now
	case now.Sub(m.good) >= m.cfg.Hold:
		m.become(Up, now)
	}
}

// trouble is the state that the figures stand for, if they are bad.
func (m *Machine) trouble(loss int, rtt time.Duration) (State, bool) {
	switch {
	case loss >= 100 && m.cfg.LossDown <= 100:
		return Down, true
	case loss >= m.cfg.LossDown:
		return Loss, true
	case m.cfg.RTTDown > 0 && rtt >= m.cfg.RTTDown:
		return Slow, true
	}
	return "", false
}

// fine is well away from trouble: what is near it would be back in it soon.
func (m *Machine) fine(loss int, rtt time.Duration) bool {
	return (loss == 0 || 2*loss < m.cfg.LossDown) && (m.cfg.RTTDown == 0 || rtt*5 < m.cfg.RTTDown*4)
}

// note keeps when the trouble began: with the first bad probe, also once that is out of the window,
// which may be as short as the time that trouble must last.
func (m *Machine) note(is bool) {
	if !is {
		m.ill = time.Time{}
		return
	}
	if i := slices.IndexFunc(m.probes, m.bad); m.ill.IsZero() && i >= 0 {
		m.ill = m.probes[i].At
	}
}

func (m *Machine) bad(p Probe) bool { return p.Lost || m.cfg.RTTDown > 0 && p.RTT >= m.cfg.RTTDown }

// figures are the loss in percent, and the median of the answers.
func (m *Machine) figures() (loss int, rtt time.Duration) {
	var took []time.Duration
	for _, p := range m.probes {
		if !p.Lost {
			took = append(took, p.RTT)
		}
	}
	if len(m.probes) == 0 {
		return -1, 0
	}
	if len(took) > 0 {
		slices.Sort(took)
		rtt = took[len(took)/2]
	}
	return 100 * (len(m.probes) - len(took)) / len(m.probes), rtt
}

// become notes a new state; only a change of use is history.
func (m *Machine) become(s State, now time.Time) {
	if s.Usable() != m.state.Usable() {
		loss, rtt := m.figures()
		m.since, m.good = now, time.Time{}
		m.history = append(m.history, Transition{At: now, State: s, Loss: max(loss, 0), RTT: rtt})
		m.history = m.history[max(0, len(m.history)-remembered):]
	}
	m.state = s
}

// State is the present one.
func (m *Machine) State() State { return m.state }

// Next is when time alone may change something; zero for never.
func (m *Machine) Next() time.Time {
	if m.state.Usable() || m.good.IsZero() {
		return time.Time{}
	}
	return m.good.Add(m.cfg.Hold)
}

// Status is what is known now.
func (m *Machine) Status() Status {
	loss, rtt := m.figures()
	return Status{State: m.state, Since: m.since, Loss: loss, RTT: rtt, BackAt: m.Next(), History: slices.Clone(m.history)}
}
