package alert_test

import (
	"slices"
	"testing"

	"gateway/internal/app"
)

// The kinds that the specification names, as far as there is something that can raise them.
//
// shows ALERT-28, ALERT-29
func TestTheProductHasTheKindsOfTheSpecification(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, of := range a.Problems() {
		for _, k := range of {
			kinds = append(kinds, k.AlertKind())
		}
	}
	for _, want := range []string{
		"cert.expiring", "cert.renew_failed", "cert.renewer.run_failed", "backend.down", "wg.tunnel.down", "ntp.unsync",
		"memory", "conntrack", "disk", "component.degraded", "change.undone", "drift", "auth.attack",
	} {
		if !slices.Contains(kinds, want) {
			t.Errorf("nothing raises %s", want)
		}
	}
}
