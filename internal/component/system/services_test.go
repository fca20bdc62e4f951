package system

import (
	"context"
	"errors"
	"testing"

	"gateway/internal/apply"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

type saying struct {
	applier
	states []apply.State
	err    error
}

func (s saying) States(context.Context) ([]apply.State, error) { return s.states, s.err }

// A resolver that was switched on and cannot start is disabled again by the applier: that is no word of the operator's.
func TestWhatIsSwitchedOff(t *testing.T) {
	resolver := daemon.Service{Unit: "unbound.service", Setting: "dns_settings"}
	wanted := []apply.State{{Off: []string{}}}
	off := []apply.State{{Off: []string{"chrony.service"}}, {Off: []string{"unbound.service"}}}
	down := sys.UnitState{UnitFileState: "disabled", ActiveState: "inactive"}
	for name, tc := range map[string]struct {
		service daemon.Service
		unit    sys.UnitState
		applier saying
		want    bool
	}{
		"switched on, cannot start":         {resolver, down, saying{states: wanted}, false},
		"switched off":                      {resolver, down, saying{states: off}, true},
		"nobody answers, it is disabled":    {resolver, down, saying{err: errors.New("away")}, true},
		"nobody answers, it is enabled":     {resolver, sys.UnitState{UnitFileState: "enabled"}, saying{err: errors.New("away")}, false},
		"has no setting, it is disabled":    {daemon.Service{Unit: "squid.service"}, down, saying{states: wanted}, true},
		"has no setting, it has just ended": {daemon.Service{Unit: "squid.service"}, sys.UnitState{UnitFileState: "enabled", ActiveState: "inactive"}, saying{states: wanted}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := &handlers{Options: Options{Applier: tc.applier}}
			if got := h.applied(t.Context()).off(tc.service, tc.unit); got != tc.want {
				t.Errorf("off = %t, want %t", got, tc.want)
			}
		})
	}
}
