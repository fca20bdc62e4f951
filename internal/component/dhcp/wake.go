package dhcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
	"gateway/internal/fault"
)

const (
	// wakeChannel is where gateway-scheduler hears whom to wake: this process reaches nobody.
	wakeChannel = "dhcp_wake"
	wakeTime    = 3 * time.Second
	wakePort    = 9 // discard, as is usual
)

// WakeInput is whom to wake.
type WakeInput struct {
	MAC      string `json:"mac" minLength:"1" maxLength:"32" doc:"MAC address of the device" example:"02:00:5e:00:53:01"`
	SubnetID string `json:"subnet_id" maxLength:"64" doc:"Id of the subnet that the device is in"`
}

// wakeQuestion goes to gateway-scheduler.
type wakeQuestion struct {
	MAC string         `json:"mac"`
	To  netip.AddrPort `json:"to"`
}

func (h *handlers) wakeRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "dhcp-wake", Method: http.MethodPost, Path: "/dhcp/wake",
		Summary: "Wake a device (Wake-on-LAN)",
		Description: "Sends the magic packet to everybody in the subnet. The device must be connected by cable and have Wake-on-LAN switched on; " +
			"it does not answer, so success means only that the packet was sent.",
	}, h.wake)
}

func (h *handlers) wake(ctx context.Context, in *struct{ Body WakeInput }) (*api.Body[*api.None], error) {
	var p fault.Problems
	mac, err := kea.ParseMAC(in.Body.MAC)
	if err != nil {
		p.AddError("mac", err)
	}
	subnets, err := h.subnets(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(subnets, func(s servedSubnet) bool { return s.ID == in.Body.SubnetID })
	if i < 0 || !subnets[i].network().IsValid() {
		p.Add("subnet_id", "is not the id of an existing %s", "subnet")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	q := wakeQuestion{mac, netip.AddrPortFrom(kea.Last(subnets[i].network()), wakePort)}
	c := change.Change{Component: kea.Name, Action: "dhcp.wake", Subject: mac}
	err = h.Run.Act(ctx, c, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, wakeTime)
		defer cancel()
		var sent bool
		err := h.Questions.Ask(ctx, wakeChannel, q, &sent)
		if errors.Is(err, db.ErrUnanswered) || err == nil && !sent {
			return errors.Join(fault.New(fault.Unavailable, "the packet could not be sent; check that the interface of the subnet is up").WithCode("not_sent"), err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.Done(), nil
}

// answerWake runs in gateway-scheduler, and says whether the packet was sent.
func answerWake(ctx context.Context, question json.RawMessage) (any, error) {
	var q wakeQuestion
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, fmt.Errorf("decode question: %w", err)
	}
	return sendWake(ctx, q) == nil, nil
}

// sendWake sends the packet that sleeping network cards look for: six bytes of ones, and their
// address sixteen times.
func sendWake(ctx context.Context, q wakeQuestion) error {
	mac, err := net.ParseMAC(q.MAC)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp4", q.To.String())
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write(append(bytes.Repeat([]byte{0xff}, 6), bytes.Repeat(mac, 16)...))
	return err
}
