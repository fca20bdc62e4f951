package live

import (
	"context"
	"encoding/json"

	"gateway/internal/component/firewall/policy"
	"gateway/internal/fault"
	"gateway/internal/netfilter"
	"gateway/internal/packetlog"
	"gateway/internal/value"
)

const (
	// ConnectionsVerb takes a ConnectionsRequest and answers Connections.
	ConnectionsVerb = "connections"
	// CutVerb takes a ConnectionFilter and answers Cut.
	CutVerb = "cut"
)

// ConnectionFilter says which connections are meant; empty fields mean all.
type ConnectionFilter struct {
	Source      string `json:"src,omitempty" query:"src" maxLength:"64" doc:"Source address or network"`
	Destination string `json:"dst,omitempty" query:"dst" maxLength:"64" doc:"Destination address or network, before translation"`
	Protocol    string `json:"proto,omitempty" query:"proto" enum:"tcp,udp,sctp,icmp,icmpv6,gre,esp,ah" doc:"IP protocol; default all"`
	Port        int    `json:"port,omitempty" query:"port" minimum:"0" maximum:"65535" doc:"Destination port, before translation; 0 for all"`
}

// Connection is one that the kernel tracks.
type Connection struct {
	Protocol         string `json:"protocol" doc:"IP protocol"`
	State            string `json:"state,omitempty" doc:"TCP state"`
	Source           string `json:"source" doc:"Source address of the first packet"`
	SourcePort       int    `json:"source_port,omitempty" doc:"Source port, for protocols with ports"`
	Destination      string `json:"destination" doc:"Destination address of the first packet, before translation"`
	Port             int    `json:"port,omitempty" doc:"Destination port, before translation"`
	ReplySource      string `json:"reply_source" doc:"Source of the replies; differs from the destination if that was translated"`
	ReplyDestination string `json:"reply_destination" doc:"Destination of the replies; differs from the source if that was translated"`
	Packets          uint64 `json:"packets" doc:"Packets in both directions; 0 while the kernel does not count"`
	Bytes            uint64 `json:"bytes" doc:"Bytes in both directions; 0 while the kernel does not count"`
	Timeout          int    `json:"timeout" doc:"Seconds until it expires without further packets"`
}

// Connections are some of those there are.
type Connections struct {
	Total       int          `json:"total" doc:"How many match"` // how many match
	Connections []Connection `json:"connections" doc:"Matching connections, at most limit"`
}

// ConnectionsRequest asks for the first so many of them.
type ConnectionsRequest struct {
	ConnectionFilter
	Limit int `json:"limit" query:"limit" default:"200" minimum:"1" maximum:"5000" doc:"Maximum number of connections to return"`
}

// maxConnections is the bound of the schema, which whoever asks past the API has not passed.
const maxConnections = 5000

func (r ConnectionsRequest) limit() int { return min(max(r.Limit, 1), maxConnections) }

// Cut is how many connections there were to cut.
type Cut struct {
	Cut int `json:"cut" doc:"Number of connections terminated"`
}

// Filter is the filter as the kernel is asked; it refuses, in words, what is none.
func (f ConnectionFilter) Filter() (netfilter.Filter, error) {
	var bad fault.Problems
	out := netfilter.Filter{
		Source: value.OptionalPrefix(&bad, "src", f.Source), Destination: value.OptionalPrefix(&bad, "dst", f.Destination),
		Protocol: uint8(policy.Protocol(f.Protocol)), Port: uint16(f.Port), // the schema has its bounds
	}
	return out, bad.Err()
}

func listConnections(ctx context.Context, in json.RawMessage) (any, error) {
	var ask ConnectionsRequest
	f, err := understood(in, &ask, &ask.ConnectionFilter)
	if err != nil {
		return nil, err
	}
	found, total, err := netfilter.Connections(ctx, f, ask.limit())
	if err != nil {
		return nil, err
	}
	out := Connections{Total: total, Connections: []Connection{}}
	for _, c := range found {
		out.Connections = append(out.Connections, shown(c))
	}
	return out, nil
}

func cutConnections(ctx context.Context, in json.RawMessage) (any, error) {
	var ask ConnectionFilter
	f, err := understood(in, &ask, &ask)
	if err != nil {
		return nil, err
	}
	n, err := netfilter.Cut(ctx, f)
	return Cut{n}, err
}

func understood(in json.RawMessage, ask any, f *ConnectionFilter) (netfilter.Filter, error) {
	if err := json.Unmarshal(in, ask); err != nil {
		return netfilter.Filter{}, fault.New(fault.Invalid, "the request is malformed")
	}
	return f.Filter()
}

func shown(c netfilter.Connection) Connection {
	return Connection{
		Protocol: packetlog.Protocol(c.Protocol), State: c.State,
		Source: c.Source.String(), SourcePort: int(c.SourcePort), Destination: c.Destination.String(), Port: int(c.Port),
		ReplySource: c.Reply.Source.String(), ReplyDestination: c.Reply.Destination.String(),
		Packets: c.Sent.Packets + c.Received.Packets, Bytes: c.Sent.Bytes + c.Received.Bytes, Timeout: int(c.Timeout.Seconds()),
	}
}
