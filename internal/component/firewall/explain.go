package firewall

import (
	"context"
	"net/http"
	"net/netip"

	"gateway/internal/api"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/value"
)

// Question is a packet that somebody wonders about.
type Question struct {
	Source      string `json:"source" maxLength:"64" doc:"Source address"`
	Destination string `json:"destination" maxLength:"64" doc:"Destination address"`
	Protocol    string `json:"protocol" enum:"tcp,udp,sctp,icmp,icmpv6,gre,esp,ah" doc:"IP protocol of the packet"`
	Port        *int   `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"Destination port, for protocols with ports"`
	ICMPType    *int   `json:"icmp_type,omitempty" minimum:"0" maximum:"255" doc:"ICMP or ICMPv6 type; 8 and 128 are pings"`
	Interface   string `json:"interface,omitempty" maxLength:"15" doc:"Incoming interface; default: the interface of the route to the source"`
}

func (f *firewall) explainRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-explain", Method: http.MethodPost, Path: "/firewall/explain", ReadOnly: true,
		Summary:     "Why a packet is accepted or dropped",
		Description: "Traces the first packet of a new connection through the stored rules: translation, route, and the deciding rule. Nothing is sent.",
	}, f.explain)
}

func (f *firewall) explain(ctx context.Context, in *struct{ Body Question }) (*api.Body[packetfilter.Trace], error) {
	k, err := f.packet(in.Body)
	if err != nil {
		return nil, err
	}
	trace, err := f.Explain(ctx, k)
	if err != nil {
		return nil, err
	}
	return api.OK(trace), nil
}

// Explain tells what the stored rules do with the first packet of a connection. Where the packet
// does not say by which interface it comes in, it is that of the route to its source.
func (o Options) Explain(ctx context.Context, k packetfilter.Packet) (packetfilter.Trace, error) {
	k, err := o.comingFrom(k)
	if err != nil {
		return packetfilter.Trace{}, err
	}
	s, err := o.Policy.Load(ctx, o.DB)
	if err != nil {
		return packetfilter.Trace{}, err
	}
	return packetfilter.Explain(&s.Policy, k, filter.Route(o.Host.RouteMarked)), nil
}

// packet reads a question.
func (f *firewall) packet(q Question) (packetfilter.Packet, error) {
	var bad fault.Problems
	k := packetfilter.Packet{
		In: q.Interface, Source: plainAddress(&bad, "source", q.Source), Destination: plainAddress(&bad, "destination", q.Destination),
		Protocol: policy.Protocol(q.Protocol),
	}
	hasPort := k.Protocol == packetfilter.TCP || k.Protocol == packetfilter.UDP || k.Protocol == packetfilter.SCTP
	if hasPort && q.Port == nil {
		bad.Add("port", "is required for %s", q.Protocol)
	}
	if q.Port != nil {
		k.Port = uint16(*q.Port) // the schema has its bounds
	}
	switch {
	case q.ICMPType != nil:
		k.Type = *q.ICMPType
	case k.Protocol == packetfilter.ICMP:
		k.Type = 8
	case k.Protocol == packetfilter.ICMPv6:
		k.Type = 128
	}
	if err := bad.Err(); err != nil {
		return k, err
	}
	if k.Source.Is4() != k.Destination.Is4() {
		return k, fault.At("destination", "must be of the same address family as the source")
	}
	return k, nil
}

// comingFrom fills in the interface where the question leaves it out.
func (o Options) comingFrom(k packetfilter.Packet) (packetfilter.Packet, error) {
	if k.In != "" {
		return k, nil
	}
	back, err := o.Host.Route(k.Source)
	if err != nil {
		return k, fault.At("interface", "is required: there is no route back to %s", k.Source)
	}
	k.In = back.Interface
	if back.Local {
		k.In = "lo"
	}
	return k, nil
}

func plainAddress(p *fault.Problems, field, text string) netip.Addr {
	addr, err := value.Address(text)
	if err != nil {
		p.AddError(field, err)
	}
	return addr
}
