package graphs

import (
	"context"
	"errors"
	"strconv"

	"gateway/internal/component"
	"gateway/internal/sys"
)

// What is measured of the node itself.
var (
	cpuBusy = component.Value{
		Name: "cpu.busy", Unit: component.Percent, Counter: true, Scale: 100,
		Metric: "gateway_cpu_busy_seconds_total", Help: "Seconds that a CPU was busy since boot, mean of all CPUs: its rate is the share in use.",
	}
	load = component.Value{
		Name: "cpu.load", Unit: component.Count,
		Metric: "gateway_load1", Help: "Load average of the last minute.",
	}
	memoryUsed = component.Value{
		Name: "memory.used", Unit: component.Bytes,
		Metric: "gateway_memory_used_bytes", Help: "Memory in use: total less available.",
	}
	diskUsed = component.Value{
		Name: "disk.used", Unit: component.Bytes,
		Metric: "gateway_disk_used_bytes", Help: "Root file system in use.",
	}
	connections = component.Value{
		Name: "connections.tracked", Unit: component.Count,
		Metric: "gateway_conntrack_connections", Help: "Connections that the kernel tracks.",
	}
	received = component.Value{
		Name: "interface.*.received", Unit: component.BytesPerSecond, Counter: true,
		Metric: "gateway_interface_receive_bytes_total", Label: "interface", Help: "Bytes received since the interface was made.",
	}
	sent = component.Value{
		Name: "interface.*.sent", Unit: component.BytesPerSecond, Counter: true,
		Metric: "gateway_interface_transmit_bytes_total", Label: "interface", Help: "Bytes sent since the interface was made.",
	}
	dropped = component.Value{
		Name: "interface.*.dropped", Unit: component.PacketsPerSecond, Counter: true,
		Metric: "gateway_interface_dropped_packets_total", Label: "interface", Help: "Packets that the interface dropped, received or to be sent, since it was made.",
	}
)

func (h *handlers) node() component.Values {
	return component.Values{
		Kinds: []component.Value{cpuBusy, load, memoryUsed, diskUsed, connections, received, sent, dropped},
		Read: func(context.Context) ([]component.Reading, error) {
			var out []component.Reading
			r, err := h.Host.Resources()
			if err == nil {
				out = ofResources(r)
			}
			links, linksErr := h.Host.Interfaces()
			return append(out, ofLinks(links)...), errors.Join(err, linksErr)
		},
	}
}

func ofResources(r sys.Resources) []component.Reading {
	out := []component.Reading{load.Is(r.Load1), memoryUsed.Is(float64(r.Memory.Used)), diskUsed.Is(float64(r.Disk.Used))}
	if r.NumCPUs > 0 {
		out = append(out, cpuBusy.Is(r.CPU.BusySeconds/float64(r.NumCPUs)))
	}
	if r.Conntrack != nil {
		out = append(out, connections.Is(float64(r.Conntrack.Count)))
	}
	return out
}

// ofLinks tells an interface that was made anew by its number.
func ofLinks(links []sys.Interface) (out []component.Reading) {
	for _, l := range links {
		if l.LinkType == "loopback" {
			continue
		}
		for _, r := range []component.Reading{
			received.Of(l.Name, float64(l.RxBytes)), sent.Of(l.Name, float64(l.TxBytes)), dropped.Of(l.Name, float64(l.RxDrop+l.TxDrop)),
		} {
			r.Run = strconv.Itoa(l.Index)
			out = append(out, r)
		}
	}
	return out
}
