package ntp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	protocol "github.com/facebook/time/ntp/chrony"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/fault"
)

// answerTime bounds all questions of one request to the daemon.
const answerTime = 1500 * time.Millisecond

// monitorAddress is where chrony tells how it is doing, to this machine only. What would
// change something is refused there.
const monitorAddress = "127.0.0.1:323"

func dialMonitor(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "udp", monitorAddress)
}

func (h *handlers) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "ntp-status", Method: http.MethodGet, Path: "/ntp/status", Access: api.Viewer, WithoutDatabase: true, Switched: true,
		Summary:     "State of the clock, from the NTP daemon",
		Description: "Whether the clock is synchronised, to what, and how far off; 409 while the NTP service is switched off.",
	}, h.status)
	api.Handle(r, api.Op{
		ID: "ntp-sources", Method: http.MethodGet, Path: "/ntp/sources", Access: api.Viewer, WithoutDatabase: true, Switched: true,
		Summary:     "State of each time source, from the NTP daemon",
		Description: "One entry per address that is queried, with reachability and offset; 409 while the NTP service is switched off.",
	}, h.sources)
}

// Status is how the clock is doing.
type Status struct {
	Synchronised   bool       `json:"synchronised" doc:"Whether the clock follows a source"`
	Stratum        int        `json:"stratum" doc:"Stratum: hops to a reference clock; 0 while not synchronised"`
	Offset         float64    `json:"offset" doc:"Seconds that the clock is fast; negative if slow"`
	Source         string     `json:"source" example:"ntp.example.com" doc:"Selected source; empty while not synchronised"`
	SourceAddress  string     `json:"source_address" example:"192.0.2.1" doc:"Its IP address"`
	ReferenceID    string     `json:"reference_id" example:"C0000201" doc:"NTP reference ID, in hexadecimal; zero while not synchronised"`
	Leap           string     `json:"leap" enum:"normal,insert,delete,unsynchronised" doc:"Leap second status"`
	LastUpdate     *time.Time `json:"last_update" doc:"Last update of the clock from a source; null if none"`
	LastOffset     float64    `json:"last_offset" doc:"Seconds that the clock was fast at the last update"`
	RMSOffset      float64    `json:"rms_offset" doc:"Long-term RMS average of the offset in seconds"`
	Frequency      float64    `json:"frequency" doc:"Frequency error of the clock in ppm"`
	Skew           float64    `json:"skew" doc:"Error bound of the frequency in ppm"`
	RootDelay      float64    `json:"root_delay" doc:"Root delay: round-trip seconds to the reference clock"`
	RootDispersion float64    `json:"root_dispersion" doc:"Root dispersion: accumulated error to the reference clock in seconds"`
	UpdateInterval float64    `json:"update_interval" doc:"Seconds between the last two updates"`
}

func (h *handlers) status(ctx context.Context, _ *struct{}) (*api.Body[Status], error) {
	var s Status
	err := h.monitor(ctx, func(m *monitor) (err error) {
		s, err = m.status()
		return err
	})
	if err != nil {
		return nil, h.orOff(ctx, err)
	}
	return api.OK(s), nil
}

// orOff says that it is switched off, where that is why it does not answer.
func (h *handlers) orOff(ctx context.Context, silent error) error {
	return component.OrOff(ctx, h.DB, `select enabled from ntp_settings`, "the NTP daemon", silent)
}

// monitor asks the daemon one question after the other.
type monitor struct{ protocol.Client }

// monitor runs questions within answerTime; whatever goes wrong means that the daemon does not answer.
func (h *handlers) monitor(ctx context.Context, questions func(*monitor) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	conn, err := h.Dial(ctx)
	if err != nil {
		return silent(err)
	}
	defer conn.Close()
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		return silent(err)
	}
	m := &monitor{}
	m.Connection = conn
	if err := questions(m); err != nil {
		return silent(err)
	}
	return nil
}

func silent(err error) error {
	f := fault.New(fault.Unavailable, "the NTP daemon does not answer; restart it under System, Services, or see the log of %s", chrony.Unit)
	return errors.Join(f.WithCode("ntp_unavailable"), fmt.Errorf("ask chrony: %w", err))
}

// answer is the daemon's answer to one question.
func answer[T protocol.ResponsePacket](m *monitor, question protocol.RequestPacket) (T, error) {
	var none T
	got, err := m.Communicate(question)
	if err != nil {
		return none, err
	}
	a, ok := got.(T)
	if !ok {
		return none, fmt.Errorf("chrony answered %T, not %T", got, none)
	}
	return a, nil
}

// The leap status in NTP's own numbers; the last says that the clock is not synchronised.
var leaps = []string{"normal", "insert", "delete", "unsynchronised"}

const leapUnsynchronised = 3

func (m *monitor) status() (Status, error) {
	t, err := answer[*protocol.ReplyTracking](m, protocol.NewTrackingPacket())
	if err != nil {
		return Status{}, err
	}
	s := newStatus(t)
	if s.Synchronised {
		s.Source, s.SourceAddress, err = m.reference(t.RefID, t.IPAddr)
	}
	return s, err
}

func newStatus(t *protocol.ReplyTracking) Status {
	s := Status{
		Stratum: int(t.Stratum), ReferenceID: protocol.RefidAsHEX(t.RefID), Leap: leaps[min(int(t.LeapStatus), leapUnsynchronised)],
		// chrony tells what it still has to add to the clock.
		Offset: -t.CurrentCorrection, LastOffset: t.LastOffset, RMSOffset: t.RMSOffset,
		Frequency: t.FreqPPM, Skew: t.SkewPPM,
		RootDelay: t.RootDelay, RootDispersion: t.RootDispersion, UpdateInterval: t.LastUpdateInterval,
	}
	// chrony counts stratum 0 as "not yet known", so it is unsynchronised too.
	s.Synchronised = t.Stratum > 0 && t.Stratum < 16 && t.RefID != 0 && t.LeapStatus < leapUnsynchronised
	if t.RefTime.Unix() > 0 {
		at := t.RefTime.UTC()
		s.LastUpdate = &at
	}
	return s
}

// localReference is the reference id of a daemon that follows its own clock.
const localReference = 0x7f7f0101

// reference names what the clock follows.
func (m *monitor) reference(id uint32, ip net.IP) (name, address string, err error) {
	switch {
	case id == localReference:
		return "local clock", "", nil
	case ip == nil: // a reference clock, whose id is its name
		return protocol.RefidToString(id), "", nil
	}
	addr := protocol.IPAddr{IP: protocol.IPToBytes(ip), Family: protocol.IPAddrInet6}
	if ip.To4() != nil {
		addr.Family = protocol.IPAddrInet4
	}
	name, err = m.name(addr)
	return name, ip.String(), err
}

// name is the operator's name for a source. A source may be gone since it was listed, so
// having none is no error.
func (m *monitor) name(addr protocol.IPAddr) (string, error) {
	a, err := answer[*protocol.ReplyNTPSourceName](m, protocol.NewNTPSourceNamePacket(&addr))
	if lost(err) {
		return "", err
	}
	if err != nil {
		return addr.String(), nil
	}
	return a.Name, nil
}

// lost tells a daemon that does not answer from one that answers no.
func lost(err error) bool {
	var network net.Error
	return errors.As(err, &network)
}
