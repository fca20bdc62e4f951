package filter_test

import (
	"testing"

	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/component/network"
	"gateway/internal/db"
)

type object = firewalltest.Object

func newRig(t testing.TB) *firewalltest.Rig { t.Helper(); return newRigWith(t, firewalltest.Options{}) }

// newLiveRig has every change by the API come back when the kernel has it.
func newLiveRig(t testing.TB) *firewalltest.Rig {
	t.Helper()
	return newRigWith(t, firewalltest.Options{Live: true})
}

func newRigWith(t testing.TB, o firewalltest.Options) *firewalltest.Rig {
	t.Helper()
	o.Network = func(pool db.Pool, run *change.Runner) component.Component {
		return network.New(network.Options{DB: pool, Run: run})
	}
	return firewalltest.New(t, o)
}
