package uplink

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
)

// Report is what all active uplinks and groups are doing.
type Report struct {
	Uplinks []UplinkStatus `json:"uplinks" doc:"Every active uplink"`
	Groups  []GroupStatus  `json:"groups" doc:"Every group"`
}

// UplinkStatus is the state of one uplink.
type UplinkStatus struct {
	ID        string       `json:"id" doc:"Id of the uplink"`
	Name      string       `json:"name" doc:"Name of the uplink"`
	Interface string       `json:"interface" doc:"Interface that it leaves by"`
	Gateway   string       `json:"gateway" doc:"Gateway in use; empty on a point-to-point link"`
	Target    string       `json:"target" doc:"Address that is asked; empty for none"`
	State     string       `json:"state" enum:"up,loss,slow,down,no_carrier,unmonitored,unknown" doc:"loss: too many requests are lost; slow: answers take too long; down: no answer, or back for less than the hold time; unknown: not judged, and used"`
	InUse     bool         `json:"in_use" doc:"It takes new connections of a group"`
	Since     time.Time    `json:"since" doc:"Since when it can be used, or cannot"`
	Loss      *int         `json:"loss" doc:"Percentage of lost requests; null while unknown"`
	RTTMS     *float64     `json:"rtt_ms" doc:"Median round-trip time in milliseconds; null while unknown"`
	BackAt    *time.Time   `json:"back_at" doc:"When a failed uplink that works is used again, if it goes on working"`
	History   []Transition `json:"history" doc:"The last 50 changes between usable and not, the oldest first"`
}

// Transition is one change between usable and not.
type Transition struct {
	At    time.Time `json:"at" doc:"When it changed"`
	State string    `json:"state" doc:"The new state"`
	Loss  int       `json:"loss" doc:"Percentage of lost requests at that moment"`
	RTTMS float64   `json:"rtt_ms" doc:"Median round-trip time in milliseconds at that moment"`
}

// GroupStatus says which of its members a group uses.
type GroupStatus struct {
	ID     string   `json:"id" doc:"Id of the group"`
	Name   string   `json:"name" doc:"Name of the group"`
	Using  []string `json:"using" doc:"Ids of the uplinks that take new connections"`
	Usable bool     `json:"usable" doc:"At least one of them works; otherwise those with a carrier are used all the same"`
	Empty  bool     `json:"empty" doc:"The group has no active members"`
}

func (u *uplinks) statusRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "uplink-status", Method: http.MethodGet, Path: uplinksPath + "/status", Access: api.Viewer, AtOnce: 2, WithoutDatabase: true,
		Summary:     "State of all active uplinks and groups",
		Description: "What the monitor found, which uplinks take new connections, and the last changes.",
	}, u.status)
}

func (u *uplinks) status(ctx context.Context, _ *struct{}) (*api.Body[Report], error) {
	var report multiwan.Report
	if err := u.ask(ctx, multiwan.StatusVerb, nil, &report); err != nil {
		return nil, err
	}
	out := Report{Uplinks: []UplinkStatus{}, Groups: []GroupStatus{}}
	for _, s := range report.Uplinks {
		out.Uplinks = append(out.Uplinks, newStatus(s))
	}
	for _, g := range report.Groups {
		out.Groups = append(out.Groups, GroupStatus{ID: g.ID, Name: g.Name, Using: append([]string{}, g.Using...), Usable: g.Usable, Empty: g.Empty})
	}
	return api.OK(out), nil
}

func newStatus(s multiwan.UplinkStatus) UplinkStatus {
	out := UplinkStatus{
		ID: s.ID, Name: s.Name, Interface: s.Interface, Gateway: shown(s.Gateway), Target: shown(s.Target),
		State: string(s.State), InUse: s.Chosen, Since: s.Since.UTC(), History: []Transition{},
	}
	if s.Loss >= 0 && s.State != health.Unmonitored {
		out.Loss = &s.Loss
	}
	if s.RTT > 0 {
		ms := milliseconds(s.RTT)
		out.RTTMS = &ms
	}
	if at := s.BackAt.UTC(); !s.BackAt.IsZero() {
		out.BackAt = &at
	}
	for _, t := range s.History {
		out.History = append(out.History, Transition{At: t.At.UTC(), State: string(t.State), Loss: t.Loss, RTTMS: milliseconds(t.RTT)})
	}
	return out
}

// milliseconds are rounded to microseconds, below which nothing is meant.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func shown(ip netip.Addr) string {
	if !ip.IsValid() {
		return ""
	}
	return ip.String()
}

func (u *uplinks) ask(ctx context.Context, verb string, in, out any) error {
	return apply.AskSoon(ctx, u.Applier, multiwan.Name, verb, in, out)
}
