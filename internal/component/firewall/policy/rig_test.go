package policy_test

import (
	"testing"

	"gateway/internal/component/firewall/firewalltest"
)

type object = firewalltest.Object

func newRig(t testing.TB) *firewalltest.Rig {
	t.Helper()
	return firewalltest.New(t, firewalltest.Options{})
}
