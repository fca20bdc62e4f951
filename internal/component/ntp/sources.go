package ntp

import (
	"context"
	"math"

	protocol "github.com/facebook/time/ntp/chrony"

	"gateway/internal/api"
)

// SourceStatus is how one time source is doing. A pool is as many of them as it has servers in use.
type SourceStatus struct {
	Name           string  `json:"name" example:"ntp.example.com" doc:"As configured"`
	Address        string  `json:"address" example:"192.0.2.1" doc:"Its IP address; empty while the name is not resolved"`
	Mode           string  `json:"mode" enum:"server,peer,refclock" doc:"server: queried by this node; peer: both query each other; refclock: reference clock of this node"`
	State          string  `json:"state" enum:"selected,combined,selectable,falseticker,variable,unusable" doc:"selected: the clock follows it. combined: combined with the selected source. selectable: candidate. falseticker: disagrees with the majority. variable: too variable. unusable: unreachable, or too few samples yet"`
	Stratum        int     `json:"stratum" doc:"Stratum of the source: hops to a reference clock"`
	Poll           int     `json:"poll" doc:"Current poll interval, as a power of two in seconds"`
	Reach          int     `json:"reach" doc:"Reachability register: one bit per request of the last eight, set if answered, the latest lowest; 255 means all"`
	LastReceive    *int64  `json:"last_receive" doc:"Seconds since the last valid answer; null if none"`
	Offset         float64 `json:"offset" doc:"Seconds that this clock is ahead of the source, corrected since the measurement"`
	MeasuredOffset float64 `json:"measured_offset" doc:"The offset as measured"`
	Error          float64 `json:"error" doc:"Estimated error of the measurement in seconds"`
}

func (h *handlers) sources(ctx context.Context, _ *struct{}) (*api.Body[[]SourceStatus], error) {
	list, err := h.sourceList(ctx)
	if err != nil {
		return nil, h.orOff(ctx, err)
	}
	return api.OK(list), nil
}

func (h *handlers) sourceList(ctx context.Context) (list []SourceStatus, err error) {
	err = h.monitor(ctx, func(m *monitor) error {
		list, err = m.sources()
		return err
	})
	return list, err
}

func (m *monitor) sources() ([]SourceStatus, error) {
	list := []SourceStatus{}
	n, err := answer[*protocol.ReplySources](m, protocol.NewSourcesPacket())
	if err != nil {
		return nil, err
	}
	unresolved := map[string]bool{}
	for i := range n.NSources {
		d, err := answer[*protocol.ReplySourceData](m, protocol.NewSourceDataPacket(int32(i)))
		if lost(err) {
			return nil, err
		}
		if err != nil {
			break // there are fewer by now
		}
		s, err := m.source(d.SourceData)
		if err != nil {
			return nil, err
		}
		// A pool has a place for each server that it may become; one of them tells it all.
		if s.Address == "" && s.Mode != "refclock" {
			if unresolved[s.Name] {
				continue
			}
			unresolved[s.Name] = true
		}
		list = append(list, s)
	}
	return list, nil
}

// The numbers of chrony's protocol, in words.
var (
	modes  = []string{"server", "peer", "refclock"}
	states = []string{"selected", "unusable", "falseticker", "variable", "combined", "selectable"}
)

// never is how chrony says that a source has not answered yet.
const never = math.MaxUint32

func (m *monitor) source(d protocol.SourceData) (SourceStatus, error) {
	s := SourceStatus{
		Mode: inWord(modes, int(d.Mode), "server"), State: inWord(states, int(d.State), "unusable"),
		Stratum: int(d.Stratum), Poll: int(d.Poll), Reach: int(d.Reachability),
		Offset: d.LatestMeas, MeasuredOffset: d.OrigLatestMeas, Error: d.LatestMeasErr,
	}
	if d.SinceSample != never {
		seconds := int64(d.SinceSample)
		s.LastReceive = &seconds
	}
	if d.Mode == protocol.SourceModeRef { // its id stands where others have their address
		ip := d.IPAddr.IP
		s.Name = protocol.RefidToString(uint32(ip[0])<<24 | uint32(ip[1])<<16 | uint32(ip[2])<<8 | uint32(ip[3]))
		return s, nil
	}
	if ip := d.IPAddr.ToNetIP(); ip != nil {
		s.Address = ip.String()
	}
	var err error
	s.Name, err = m.name(*d.IPAddr)
	return s, err
}

// inWord is the word for a number of the protocol; a newer daemon may have numbers beyond ours.
func inWord(words []string, n int, beyond string) string {
	if n < len(words) {
		return words[n]
	}
	return beyond
}
