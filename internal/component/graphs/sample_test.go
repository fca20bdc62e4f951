package graphs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/component"
	"gateway/internal/fault"
	"gateway/internal/series"
	"gateway/internal/sys"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// at is a look at some readings, so many samples after noon.
func at(n int, readings ...component.Reading) []look {
	return []look{{source: &source{name: "test"}, at: noon.Add(time.Duration(n) * series.Step), readings: readings}}
}

func want(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestRatesOfInterfaces(t *testing.T) {
	var m meter
	eth := sys.Interface{Index: 2, Name: "eth0", LinkType: "ether", RxBytes: 1000, TxBytes: 500}
	lo := sys.Interface{Index: 1, Name: "lo", LinkType: "loopback", RxBytes: 9}
	look := func(n int) map[string]float64 { return m.values(at(n, ofLinks([]sys.Interface{lo, eth})...)) }
	want(t, "at first there is nothing to compare with", look(0), map[string]float64{})
	eth.RxBytes, eth.TxBytes, eth.RxDrop = 3000, 600, 20
	want(t, "then", look(1), map[string]float64{"interface.eth0.received": 200, "interface.eth0.sent": 10, "interface.eth0.dropped": 2})
	eth.RxBytes = 5 // it was made anew with the same number
	want(t, "after it was made anew", look(2), map[string]float64{})
	eth.Index, eth.RxBytes = 3, 105
	want(t, "with another number", look(3), map[string]float64{})
	eth.RxBytes += 100
	if got := look(4); got["interface.eth0.received"] != 10 {
		t.Errorf("and then %v, want 10 bytes a second", got)
	}
}

func TestTheProcessorIsAShare(t *testing.T) {
	var m meter
	h := &handlers{}
	h.sources = sourcesOf([]component.Component{{Values: h.node()}})
	busy := func(n int, seconds float64) map[string]float64 {
		return m.values(at(n, ofResources(sys.Resources{NumCPUs: 2, CPU: sys.CPU{BusySeconds: seconds, TotalSeconds: 1000 + 20*float64(n)}})...))
	}
	busy(0, 100)
	if got := busy(1, 105); got["cpu.busy"] != 25 {
		t.Errorf("busy %v %%, want 25", got["cpu.busy"])
	}
	if got := busy(2, 126); got["cpu.busy"] != 100 {
		t.Errorf("busy %v %%, want no more than all of it", got["cpu.busy"])
	}
	for name, want := range map[string]string{
		"cpu.busy": "percent", "memory.used": "bytes", "connections.tracked": "count", "interface.a.sent.sent": "bytes_per_second",
		"interface.x.dropped": "packets_per_second", "interface..sent": "count", "of.another.version": "count",
	} {
		if got := h.unitOf(name); got != want {
			t.Errorf("%s is counted in %s, want %s", name, got, want)
		}
	}
}

var (
	asked = component.Value{Name: "a.asked", Unit: component.PerSecond, Counter: true, Metric: "gateway_a_asked_total", Help: "Asked."}
	open  = component.Value{Name: "a.open", Unit: component.Count, Metric: "gateway_a_open", Help: "Open."}
)

// A value that could not be read is a gap, and so is the first rate after it.
func TestWhatIsNotReadIsAGap(t *testing.T) {
	var m meter
	m.values(at(0, asked.Is(100), open.Is(0)))
	want(t, "zero is a value", m.values(at(1, asked.Is(100), open.Is(0))), map[string]float64{"a.asked": 0, "a.open": 0})
	want(t, "nothing was read", m.values(at(2)), map[string]float64{})
	want(t, "nothing to compare with", m.values(at(3, asked.Is(900), open.Is(3))), map[string]float64{"a.open": 3})
	want(t, "the daemon was restarted", m.values(at(4, asked.Is(10), open.Is(1))), map[string]float64{"a.open": 1})
	want(t, "and goes on", m.values(at(5, asked.Is(60), open.Is(1))), map[string]float64{"a.asked": 5, "a.open": 1})
}

// rig has components that measure, with a log.
func rig(dir string, log *strings.Builder, all ...component.Values) *handlers {
	list := make([]component.Component, len(all))
	for i, v := range all {
		list[i] = component.Component{Name: fmt.Sprint("c", i), Values: v}
	}
	return &handlers{Options: Options{Dir: dir, Now: time.Now, Log: slog.New(slog.NewTextHandler(log, nil))}, sources: sourcesOf(list)}
}

func reads(readings ...component.Reading) component.Values {
	return component.Values{
		Kinds: []component.Value{asked, open},
		Read:  func(context.Context) ([]component.Reading, error) { return readings, nil },
	}
}

// One that hangs, fails or breaks has no values, and takes nobody else's; it is asked once at a time.
func TestOneThatHangsDelaysNobody(t *testing.T) {
	hang, begun := make(chan struct{}), make(chan struct{}, 10)
	defer close(hang)
	var log strings.Builder
	h := rig(t.TempDir(), &log,
		component.Values{Read: func(context.Context) ([]component.Reading, error) { begun <- struct{}{}; <-hang; return nil, nil }},
		component.Values{Read: func(context.Context) ([]component.Reading, error) { return nil, errors.New("broken pipe") }},
		component.Values{Read: func(context.Context) ([]component.Reading, error) {
			return nil, fault.New(fault.Unavailable, "it is off")
		}},
		component.Values{Read: func(context.Context) ([]component.Reading, error) { panic("a mistake") }},
		reads(open.Is(3)))
	for range 2 {
		store, err := series.Open(h.Dir)
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if err := h.take(t.Context(), &meter{}, store); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(before); took > series.Step/2 {
			t.Errorf("a sample took %v", took)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(begun) != 1 {
		t.Errorf("the one that hangs was asked %d times", len(begun))
	}
	if names, err := series.Names(h.Dir); err != nil || len(names) != 1 || names["a.open"].IsZero() {
		t.Errorf("kept: %v (%v)", names, err)
	}
	for text, n := range map[string]int{"broken pipe": 1, "it is off": 0, "panic: a mistake": 1, "deadline": 1} {
		if got := strings.Count(log.String(), text); got != n {
			t.Errorf("%q is logged %d times, want %d: %s", text, got, n, log.String())
		}
	}
}

// Interfaces that come and go leave a place for each value that there is once.
func TestManyThingsLeavePlacesForTheRest(t *testing.T) {
	values := map[string]float64{"a.open": 1}
	for i := range 300 {
		values[fmt.Sprintf("interface.e%03d.sent", i)] = 1
	}
	left := fit(values, []component.Value{asked, open, sent})
	if left != 300-series.Columns+2 || len(values) != series.Columns-1 || values["a.open"] != 1 || values["interface.e000.sent"] != 1 {
		t.Errorf("%d are left out, %d kept", left, len(values))
	}
}

// Prometheus is told counters as they count, and nothing of what cannot be read.
func TestMetricsAreWhatIsRead(t *testing.T) {
	var log strings.Builder
	peers := component.Value{Name: "t.*.peers", Metric: "gateway_t_peers", Label: "t", Help: "Peers."}
	with := reads(asked.Is(100), peers.Of("wg0", 2), peers.Of("b\xff", 1))
	with.Kinds = append(with.Kinds, peers)
	h := rig("", &log, with)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics{h})
	found, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range found {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += "{" + l.GetName() + "=" + l.GetValue() + "}"
			}
			got[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	want(t, "metrics", got, map[string]float64{"gateway_a_asked_total": 100, "gateway_t_peers{t=wg0}": 2, "gateway_t_peers{t=b?}": 1})
}
