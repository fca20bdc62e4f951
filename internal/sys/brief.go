package sys

import (
	"context"
	"fmt"
	"strings"

	"github.com/coreos/go-systemd/v22/dbus"
)

// Brief is Units whose States leave out what only people read: description, memory, restarts, the last result and since when. To
// tell all of a unit takes systemd milliseconds and many files of its control group, and the applier asks each second.
type Brief struct{ *Units }

// States are as those of Units, but for what is left out.
func (b Brief) States(ctx context.Context, names []string) ([]UnitState, error) {
	for _, name := range names {
		if err := wellFormed(name); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	conn, err := b.bus.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the states of units: %w", err)
	}
	listed, err := conn.ListUnitsByNamesContext(ctx, names)
	if err == nil && len(listed) != len(names) {
		err = fmt.Errorf("%d answers for %d units", len(listed), len(names))
	}
	if err != nil {
		return nil, fmt.Errorf("list the states of units: %w", err)
	}
	states := make([]UnitState, len(names))
	for i, l := range listed {
		s := UnitState{Name: names[i], LoadState: l.LoadState, ActiveState: l.ActiveState, SubState: l.SubState}
		if err := s.complete(ctx, conn); err != nil {
			return nil, err
		}
		states[i] = s
	}
	return states, nil
}

// complete adds what is not in the list: whether the next boot starts the unit, and its process. Of a process that has just
// been replaced it may read the number before the time, never after: a time that is too late only has the files looked at again.
func (s *UnitState) complete(ctx context.Context, conn *dbus.Conn) error {
	if !s.Installed() && s.ActiveState == "inactive" {
		return nil
	}
	p, err := conn.GetUnitPropertyContext(ctx, s.Name, "UnitFileState")
	if err != nil {
		return fmt.Errorf("read whether %s is enabled: %w", s.Name, err)
	}
	s.UnitFileState, _ = p.Value.Value().(string)
	if s.ActiveState == "inactive" || !strings.HasSuffix(s.Name, ".service") {
		return nil
	}
	props := map[string]any{}
	for _, name := range []string{"MainPID", "ExecMainStartTimestamp"} {
		p, err := conn.GetServicePropertyContext(ctx, s.Name, name)
		if err != nil {
			return fmt.Errorf("read the process of %s: %w", s.Name, err)
		}
		props[name] = p.Value.Value()
	}
	s.MainPID, s.StartedAt = int(property[uint32](props, "MainPID")), stamp(props, "ExecMainStartTimestamp")
	if s.SubState == "running" && s.MainPID == 0 {
		return fmt.Errorf("read the process of %s: it ended meanwhile", s.Name)
	}
	return nil
}
