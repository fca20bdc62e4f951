package resource_test

import (
	"testing"

	"gateway/internal/fault"
	"gateway/internal/resource"
)

func TestARefusalBecauseOfUseIsInTheOperatorsWords(t *testing.T) {
	for kind, want := range map[string]string{
		"domain":        `this backend is still used by domain "a"; remove or replace it there first`,
		"address-group": `this backend is still used by address group "a"; remove or replace it there first`,
		"nat-rule":      `this backend is still used by NAT rule "a"; remove or replace it there first`,
		"tcp-service":   `this backend is still used by TCP service "a"; remove or replace it there first`,
	} {
		if got := resource.InUse("backend", fault.UsesOf(fault.Use{Kind: kind, Name: "a"})); got.Message != want || got.Code != "in_use" || got.UsedByTotal != 1 {
			t.Errorf("%s: %q (%s), want %q", kind, got.Message, got.Code, want)
		}
	}
	const want = `this zone is still used by rule "a" and 2 more; remove or replace it there first`
	if got := resource.InUse("zone", fault.UsesOf(fault.Use{Kind: "rule", Name: "a"}, fault.Use{}, fault.Use{})).Message; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
