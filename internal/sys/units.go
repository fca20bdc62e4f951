package sys

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	"golang.org/x/sys/unix"

	"gateway/internal/fault"
)

// unitName admits the names we could ever manage: no path, no glob, no escapes.
var unitName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@:-]{0,199}\.(service|socket|target|timer|path)$`)

// UnitState is one systemd unit as systemd sees it now.
type UnitState struct {
	Name          string
	Description   string
	LoadState     string // "not-found" when no such unit is installed
	ActiveState   string
	SubState      string
	UnitFileState string // "enabled", "disabled", "masked", …; empty without a file
	// EnteredAt is when the unit became active, or else when it came into its present
	// state; nil when systemd remembers no change. It forgets those of a unit that is
	// down and not enabled.
	EnteredAt *time.Time
	// StartedAt is when the main process was started; nil without one.
	StartedAt   *time.Time
	MainPID     int
	MemoryBytes *uint64 // nil when systemd does not account for it
	// Restarts is how often systemd restarted a service since somebody started it, and Result how its
	// last run ended: "success" until it ends.
	Restarts uint32
	Result   string
	// Quiet is the time since a service last told systemd's watchdog that it is alive, or since it was
	// started; 0 for one without a watchdog.
	Quiet time.Duration
}

// Installed reports whether systemd knows the unit at all.
func (s UnitState) Installed() bool { return s.LoadState != "not-found" }

// Units reads and drives systemd over D-Bus. Reading needs no privilege, driving needs
// root. It is safe for concurrent use.
type Units struct{ bus *bus }

// NewUnits connects when it is first used.
func NewUnits() *Units { return &Units{bus: newBus()} }

// Close ends the connection, if there is one.
func (u *Units) Close() { u.bus.close() }

// States answers for each of the names, in their order. A unit that is not installed
// is no error: its LoadState says so.
func (u *Units) States(ctx context.Context, names []string) ([]UnitState, error) {
	states := make([]UnitState, 0, len(names))
	for _, name := range names {
		s, err := u.state(ctx, name)
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, nil
}

// Running lists the units of a template, such as gateway-verify@, that are up or on their way up or down.
func (u *Units) Running(ctx context.Context, template string) (names []string, err error) {
	conn, err := u.bus.get(ctx)
	if err != nil {
		return nil, err
	}
	found, err := conn.ListUnitsByPatternsContext(ctx, []string{"active", "reloading", "activating", "deactivating"}, []string{template + "*.service"})
	if err != nil {
		return nil, fmt.Errorf("list the units of %s: %w", template, err)
	}
	for _, f := range found {
		names = append(names, f.Name)
	}
	return names, nil
}

func (u *Units) state(ctx context.Context, name string) (UnitState, error) {
	var props map[string]any
	err := u.with(ctx, "read the state of", name, func(c *dbus.Conn) (err error) {
		props, err = c.GetAllPropertiesContext(ctx, name)
		return err
	})
	if err != nil {
		return UnitState{}, err
	}
	return newUnitState(name, props, monotonic()), nil
}

// monotonic is the clock that systemd's timestamps without a date are of; nobody sets it.
func monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// with runs one D-Bus call about a well-formed unit name.
func (u *Units) with(ctx context.Context, doing, unit string, call func(*dbus.Conn) error) error {
	if err := wellFormed(unit); err != nil {
		return err
	}
	conn, err := u.bus.get(ctx)
	if err == nil {
		err = call(conn)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", doing, unit, err)
	}
	return nil
}

func wellFormed(unit string) error {
	if !unitName.MatchString(unit) {
		return fault.New(fault.Invalid, "%q is not a unit name", unit)
	}
	return nil
}

func newUnitState(name string, props map[string]any, now time.Duration) UnitState {
	s := UnitState{
		Name:          name,
		Description:   property[string](props, "Description"),
		LoadState:     property[string](props, "LoadState"),
		ActiveState:   property[string](props, "ActiveState"),
		SubState:      property[string](props, "SubState"),
		UnitFileState: property[string](props, "UnitFileState"),
		MainPID:       int(property[uint32](props, "MainPID")),
		Restarts:      property[uint32](props, "NRestarts"),
		Result:        property[string](props, "Result"),
	}
	s.EnteredAt = enteredAt(s.ActiveState, props)
	s.StartedAt = stamp(props, "ExecMainStartTimestamp")
	if usec := property[uint64](props, "WatchdogTimestampMonotonic"); usec > 0 && usec < math.MaxInt64/1000 {
		s.Quiet = max(0, now-time.Duration(usec)*time.Microsecond)
	}
	// All ones is how systemd says that it has no figure.
	if n := property[uint64](props, "MemoryCurrent"); n != 0 && n != math.MaxUint64 {
		s.MemoryBytes = &n
	}
	return s
}

func enteredAt(active string, props map[string]any) *time.Time {
	// A running unit changes its sub-state, for example on a reload, without having
	// been down: what counts is since when it is up.
	if active == "active" || active == "reloading" {
		return stamp(props, "ActiveEnterTimestamp")
	}
	return stamp(props, "StateChangeTimestamp")
}

func stamp(props map[string]any, name string) *time.Time {
	usec := property[uint64](props, name)
	if usec == 0 || usec > math.MaxInt64 {
		return nil
	}
	at := time.UnixMicro(int64(usec)).UTC()
	return &at
}

// property reads a value, or the zero one where this kind of unit lacks it: a target
// has no main process.
func property[T any](props map[string]any, name string) T {
	v, _ := props[name].(T)
	return v
}
