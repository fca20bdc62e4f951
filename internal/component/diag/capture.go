package diag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/capture"
	"gateway/internal/change"
	"gateway/internal/component/diag/recorder"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/sys"
	"gateway/internal/value"
)

// CaptureInput is what packets to record.
type CaptureInput struct {
	Interface string `json:"interface" minLength:"1" maxLength:"15" doc:"Interface of this node, by its name in the kernel; not the loopback interface" example:"eth0"`
	Protocol  string `json:"protocol,omitempty" enum:"any,tcp,udp,icmp,arp" default:"any" doc:"Only packets of this protocol. icmp is ICMPv6 too"`
	Host      string `json:"host,omitempty" maxLength:"64" doc:"Only packets from or to this IP address or network. Empty: all" example:"192.0.2.10"`
	Port      *int   `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"Only packets from or to this TCP or UDP port. Absent: all" example:"443"`
	Packets   int    `json:"max_packets,omitempty" minimum:"1" maximum:"100000" default:"1000" doc:"Ends after this many packets"`
	Megabytes int    `json:"max_megabytes,omitempty" minimum:"1" maximum:"64" default:"10" doc:"Ends before the file is larger than this many MiB"`
	Seconds   int    `json:"max_seconds,omitempty" minimum:"1" maximum:"300" default:"60" doc:"Ends after this many seconds"`
}

// Capture is how the capture of a node stands.
type Capture struct {
	State     string          `json:"state" enum:"none,running,ended" doc:"none: there is no capture, or it expired"`
	By        string          `json:"by" doc:"Who started it"`
	Interface string          `json:"interface" doc:"Interface whose packets are recorded"`
	Filter    string          `json:"filter" doc:"Which packets, in words; empty for all"`
	StartedAt *time.Time      `json:"started_at" doc:"When it began"`
	EndsAt    *time.Time      `json:"ends_at" doc:"When it ends at the latest, or ended"`
	ExpiresAt *time.Time      `json:"expires_at" doc:"When it is deleted; null while it runs"`
	Reason    string          `json:"reason" enum:",packets,bytes,time,stopped,failed" doc:"What ended it: one of the limits, somebody (stopped), or an error (failed). Empty while it runs"`
	Error     *fault.Sentence `json:"error,omitempty" doc:"Why it failed; missing when it did not"`
	Packets   int             `json:"packets" doc:"Recorded packets"`
	Bytes     int64           `json:"bytes" doc:"Size of the file in bytes"`
	Dropped   uint64          `json:"dropped" doc:"Packets that the kernel had no room for; known at the end"`
	Lines     []recorder.Line `json:"lines" doc:"The last 50 packets"`
}

const (
	capturePath = "/diagnostics/capture"
	// captureTime is for starting and stopping.
	captureTime = 15 * time.Second
	// downloadTime is for a file over a slow line.
	downloadTime = 10 * time.Minute
)

type captureKeeper interface {
	Start(ctx context.Context, by string, q capture.Request) (recorder.State, error)
	Look() recorder.State
	Stop(ctx context.Context) (recorder.State, error)
	Delete(ctx context.Context) error
	File() (io.ReadSeekCloser, recorder.State, error)
}

func (h *handlers) captureRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "start-capture", Method: http.MethodPost, Path: capturePath, Timeout: captureTime + onTheWay,
		Summary: "Capture packets of an interface",
		Description: "Records whole packets, until one of the limits is reached or it is stopped. One capture at a time on a node; the one before is deleted. " +
			"It is kept for an hour, and ends and is deleted when gateway-api restarts. Passwords and other secrets that pass unencrypted are in it; " +
			"the loopback interface, where those of the management pass, is refused. " +
			"The audit log records who captured what. 409 capture_running: this service has one, which can be stopped. " +
			"503 capture_unavailable: the program that records cannot be reached, does not start, or records for another process, such as gateway-ctl.",
	}, h.startCapture)
	api.Handle(r, api.Op{
		ID: "capture", Method: http.MethodGet, Path: capturePath, WithoutDatabase: true,
		Summary: "State of the capture", Description: "Counts and the last packets, also while it runs.",
	}, func(context.Context, *struct{}) (*api.Body[Capture], error) {
		return api.OK(shown(h.Captures.Look())), nil
	})
	api.Handle(r, api.Op{
		ID: "stop-capture", Method: http.MethodPost, Path: capturePath + "/stop", Timeout: captureTime + onTheWay,
		Summary: "Stop the capture", Description: "What was recorded until then can be downloaded. One that ended already stays as it is.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Capture], error) {
		var s recorder.State
		err := h.onCapture(ctx, "stop", h.Captures.Look(), func(ctx context.Context) (err error) { s, err = h.Captures.Stop(ctx); return err })
		if err != nil {
			return nil, err
		}
		return api.OK(shown(s)), nil
	})
	api.Handle(r, api.Op{
		ID: "delete-capture", Method: http.MethodDelete, Path: capturePath, Timeout: captureTime + onTheWay,
		Summary: "Delete the capture", Description: "One that runs is stopped first.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		if err := h.onCapture(ctx, "delete", h.Captures.Look(), h.Captures.Delete); err != nil {
			return nil, err
		}
		return api.Done(), nil
	})
	api.Raw(r, api.Op{
		ID: "download-capture", Method: http.MethodGet, Path: capturePath + "/file", Timeout: downloadTime, Switched: true,
		Summary: "Download the capture",
		Description: "A pcap file, for Wireshark or tcpdump, of the capture that ended. It ends after 10 minutes at the latest. " +
			"409 no_capture: no capture ended; 409 too_many_downloads: three are running, and each keeps the space of its capture, also of one that was deleted. Every download is in the audit log.",
	}, "application/vnd.tcpdump.pcap", h.downloadCapture)
}

// onCapture does something to what was recorded; the audit log says to which.
func (h *handlers) onCapture(ctx context.Context, verb string, s recorder.State, fn func(context.Context) error) error {
	return h.Run.Act(ctx, change.Change{Component: name, Action: "diag.capture." + verb, Subject: label(s.Request)}, fn)
}

func (h *handlers) startCapture(ctx context.Context, in *struct{ Body CaptureInput }) (*api.Body[Capture], error) {
	links, err := h.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	q, err := in.Body.request(links)
	if err != nil {
		return nil, err
	}
	var s recorder.State
	c := change.Change{Component: name, Action: "diag.capture.start", Subject: label(q)}
	err = h.Run.Act(ctx, c, func(ctx context.Context) (err error) {
		s, err = h.Captures.Start(ctx, identity.From(ctx).Actor(), q)
		return toldOf(err)
	})
	if err != nil {
		return nil, err
	}
	return api.OK(shown(s)), nil
}

// errLoopback is why that interface is refused: the API's plain port is there.
var errLoopback = fault.Say("the loopback interface cannot be captured: sessions and passwords of the management pass there unencrypted")

// toldOf is what the caller is told of an error.
func toldOf(err error) error {
	switch {
	case errors.Is(err, recorder.ErrRunning):
		return fault.New(fault.Conflict, "a capture is running on this node; stop it, or wait until it ends").WithCode("capture_running")
	case errors.Is(err, recorder.ErrTurnedAway):
		return errors.Join(fault.New(fault.Unavailable, "gateway-capture takes no capture: gateway-ctl or gateway-api may have one running; else see journalctl -u 'gateway-capture@*'").WithCode("capture_unavailable"), err)
	case errors.Is(err, recorder.ErrNoInterface):
		return fault.At("interface", "this node has no such interface")
	case errors.Is(err, recorder.ErrLoopback):
		var bad fault.Problems
		bad.AddError("interface", errLoopback)
		return bad.Err()
	case errors.Is(err, recorder.ErrNone):
		return fault.New(fault.Conflict, "there is no capture to download; start one, and wait until it ends").WithCode("no_capture")
	case errors.Is(err, recorder.ErrDownloads):
		return fault.New(fault.Conflict, "%d downloads of captures are running; wait until one of them ends", recorder.MostDownloads).WithCode("too_many_downloads")
	case errors.Is(err, recorder.ErrAway):
		return errors.Join(fault.New(fault.Unavailable, "gateway-capture, which records packets, cannot be reached").WithCode("capture_unavailable"), err)
	}
	return err
}

// request is what gateway-capture is asked for: an interface that there is, and what a parser took.
func (in CaptureInput) request(links []sys.Interface) (capture.Request, error) {
	var bad fault.Problems
	q := capture.Request{
		Interface: in.Interface, Packets: in.Packets, Bytes: int64(in.Megabytes) << 20, Time: time.Duration(in.Seconds) * time.Second,
	}
	if in.Protocol != "any" {
		q.Protocol = in.Protocol
	}
	if in.Port != nil {
		q.Port = uint16(*in.Port)
	}
	switch at := slices.IndexFunc(links, func(l sys.Interface) bool { return l.Name == in.Interface }); {
	case at < 0:
		bad.Add("interface", "this node has no such interface")
	case links[at].LinkType == "loopback":
		bad.AddError("interface", errLoopback)
	}
	if in.Host != "" {
		var err error
		if q.Host, err = value.Prefix(in.Host); err != nil {
			bad.AddError("host", err)
		}
	}
	if q.Port > 0 && (q.Protocol == "icmp" || q.Protocol == "arp") {
		bad.Add("port", "only TCP and UDP have ports")
	}
	if q.Protocol == "arp" && q.Host.IsValid() && q.Host.Addr().Is6() {
		bad.Add("host", "must be an IPv4 address for ARP")
	}
	if err := bad.Err(); err != nil {
		return q, err
	}
	if q.Check() != nil {
		bad.Add("interface", "this interface cannot be captured")
	}
	return q, bad.Err()
}

// label is what the audit log says of a capture.
func label(q capture.Request) string { return strings.TrimSpace(q.Interface + " " + filterOf(q)) }

// filterOf is a filter in words.
func filterOf(q capture.Request) string {
	var words []string
	if q.Protocol != "" {
		words = append(words, q.Protocol)
	}
	if q.Host.IsValid() {
		host := q.Host.String()
		if q.Host.IsSingleIP() {
			host = q.Host.Addr().String()
		}
		words = append(words, "host "+host)
	}
	if q.Port > 0 {
		words = append(words, fmt.Sprintf("port %d", q.Port))
	}
	return strings.Join(words, " ")
}

func shown(s recorder.State) Capture {
	c := Capture{
		State: s.State, By: s.By, Interface: s.Request.Interface, Filter: filterOf(s.Request), Reason: s.Reason, Error: s.Error,
		Packets: s.Packets, Bytes: s.Bytes, Dropped: s.Dropped, Lines: append([]recorder.Line{}, s.Lines...),
	}
	if s.State == recorder.None {
		return c
	}
	ends := s.Started.Add(s.Request.Time)
	c.StartedAt, c.EndsAt = &s.Started, &ends
	if s.State == recorder.Ended {
		c.EndsAt, c.ExpiresAt = &s.Ended, &s.Expires
	}
	return c
}

func (h *handlers) downloadCapture(w http.ResponseWriter, r *http.Request) error {
	file, s, err := h.Captures.File()
	if err != nil {
		return toldOf(err)
	}
	defer file.Close()
	// Of the one that is sent: another may have begun since.
	if err := h.onCapture(r.Context(), "download", s, func(context.Context) error { return nil }); err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime)) // who answers gateway-ctl has no limit
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="capture-`+s.Started.UTC().Format("20060102T150405Z")+`.pcap"`)
	http.ServeContent(w, r, "", s.Started, file)
	return nil
}
