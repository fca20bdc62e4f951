package graphs

import (
	"testing"

	"gateway/internal/sys"
)

func TestRatesOfInterfaces(t *testing.T) {
	var m meter
	eth := sys.Interface{Index: 2, Name: "eth0", LinkType: "ether", RxBytes: 1000, TxBytes: 500}
	lo := sys.Interface{Index: 1, Name: "lo", LinkType: "loopback", RxBytes: 9}
	first := map[string]float64{}
	m.traffic(first, []sys.Interface{lo, eth}, 10)
	if len(first) != 0 {
		t.Errorf("at first %v, want nothing to compare with", first)
	}
	eth.RxBytes, eth.TxBytes, eth.RxDrop = 3000, 600, 20
	second := map[string]float64{}
	m.traffic(second, []sys.Interface{lo, eth}, 10)
	want := map[string]float64{"interface.eth0.received": 200, "interface.eth0.sent": 10, "interface.eth0.dropped": 2}
	if len(second) != 3 || second["interface.eth0.received"] != 200 || second["interface.eth0.sent"] != 10 || second["interface.eth0.dropped"] != 2 {
		t.Errorf("then %v, want %v", second, want)
	}
	eth.RxBytes = 5 // it was made anew with the same number
	third := map[string]float64{}
	m.traffic(third, []sys.Interface{eth}, 10)
	if len(third) != 0 {
		t.Errorf("after it was made anew %v, want nothing", third)
	}
}

func TestTheProcessorIsAShare(t *testing.T) {
	m := meter{cpu: sys.CPU{BusySeconds: 100, TotalSeconds: 1000}}
	out := map[string]float64{}
	m.resources(out, sys.Resources{CPU: sys.CPU{BusySeconds: 105, TotalSeconds: 1020}})
	if out[cpuBusy] != 25 {
		t.Errorf("busy %v %%, want 25", out[cpuBusy])
	}
	for name, want := range map[string]string{cpuBusy: "percent", memoryUsed: "bytes", connections: "count", "interface.a.sent.sent": "bytes_per_second", "interface.x.dropped": "packets_per_second"} {
		if got := unitOf(name); got != want {
			t.Errorf("%s is counted in %s, want %s", name, got, want)
		}
	}
}
