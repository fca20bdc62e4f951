package sys

import (
	"errors"
	"testing"

	godbus "github.com/godbus/dbus/v5"

	"gateway/internal/fault"
)

func TestAMaskedUnitIsRefusedInWords(t *testing.T) {
	err := refused("unbound.service", godbus.Error{Name: "org.freedesktop.systemd1.UnitMasked"})
	f, ok := fault.Of(err)
	const want = "unbound.service is masked on this node, so that nothing can start it; end that with systemctl unmask unbound.service"
	if !ok || f.Message != want {
		t.Errorf("err = %v, want %q", err, want)
	}
	other := errors.New("the bus is gone")
	if err := refused("unbound.service", other); !errors.Is(err, other) {
		t.Errorf("err = %v", err)
	} else if _, ok := fault.Of(err); ok {
		t.Errorf("%v became a fault", err)
	}
}
