package firewall_test

import (
	"testing"

	"gateway/internal/component/firewall/firewalltest"
)

type object = firewalltest.Object

func newRig(t testing.TB) *firewalltest.Rig {
	t.Helper()
	return firewalltest.New(t, firewalltest.Options{})
}

// newLiveRig has every change by the API come back when the kernel has it.
func newLiveRig(t testing.TB) *firewalltest.Rig {
	t.Helper()
	return firewalltest.New(t, firewalltest.Options{Live: true})
}
