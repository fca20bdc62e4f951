package live

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/netfilter"
	"gateway/internal/packetlog"
)

// LogVerb takes a LogRequest and answers a packetlog.Page.
const LogVerb = "log"

const (
	logGroup = 0 // of netlink; the specification says so
	// Prefixes of the kernel's log lines.
	logPrefix  = "gateway:"
	dropPrefix = "drop-"
)

// LogRequest asks for what is kept after an event, and waits so long for more.
type LogRequest struct {
	Start int64         `json:"start"`
	After int64         `json:"after"`
	Wait  time.Duration `json:"wait"`
}

// logPage is the verb behind the packet log.
func (o *Observer) logPage(ctx context.Context, in json.RawMessage) (any, error) {
	var a LogRequest
	if err := json.Unmarshal(in, &a); err != nil {
		return nil, fault.New(fault.Invalid, "the request is malformed")
	}
	ctx, cancel := context.WithTimeout(ctx, min(a.Wait, time.Minute))
	defer cancel()
	return o.ring.Wait(ctx, a.Start, a.After), nil
}

// watchLog fills the ring from the kernel's log until ctx ends.
func (o *Observer) watchLog(ctx context.Context) error {
	return netfilter.Watch(ctx, logGroup, func(e netfilter.Event) {
		rule, ours := strings.CutPrefix(e.Prefix, logPrefix)
		switch {
		case e.Err != nil:
			o.log.Warn("the packet log is currently not readable", "err", e.Err)
		case e.Lost > 0:
			o.log.Warn("packets were logged faster than they were read", "lost", e.Lost)
		case ours: // group 0 is everybody's
			o.ring.Add(event(rule, e))
		}
	})
}

func event(rule string, e netfilter.Event) packetlog.Event {
	out := packetlog.Event{
		At: e.At, Protocol: packetlog.Protocol(e.Protocol), Source: e.Source.String(), Destination: e.Destination.String(),
		SourcePort: int(e.SourcePort), Port: int(e.Port), Interface: e.In, Out: e.Out, Size: e.Size,
	}
	if out.Interface == "" {
		out.Interface, out.Out = e.Out, ""
	}
	if chain, dropped := strings.CutPrefix(rule, dropPrefix); dropped {
		out.Chain, out.Action = chain, "drop"
	} else {
		out.RuleID = rule
	}
	return out
}
