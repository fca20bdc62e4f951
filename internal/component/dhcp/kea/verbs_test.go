package kea

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/fault"
)

// An answer of gateway-apply has room for 16 MiB. Whoever fills a network with leases, each with as
// long a name and client id as DHCP takes, must not keep the usage of the pools from being told.
func TestTheAddressesOfAFullNetworkFitIntoAnAnswer(t *testing.T) {
	const most = 16 << 20
	s := newServer(Options{Now: func() time.Time { return time.Unix(1001, 0) }})
	long := strings.Repeat("ff:", 254) + "ff"
	all := make([]control.Lease, 0, 1<<16)
	for i := range 1<<16 - 2 {
		all = append(all, control.Lease{
			Address: fmt.Sprintf("10.0.%d.%d", (i+1)>>8, (i+1)&255), MAC: "02:00:5e:00:53:01", ClientID: long, Hostname: strings.Repeat("n", 250), Seen: 1000, Lifetime: 600, State: i & 1,
		})
	}
	s.leases.replace(all)
	size := func(verb func() (any, error)) int {
		t.Helper()
		got, err := verb()
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		return len(data)
	}
	if n := size(func() (any, error) { return s.list(t.Context(), json.RawMessage("{}")) }); n < most {
		t.Errorf("the control: all leases as they are listed have %d bytes", n)
	}
	if n := size(func() (any, error) { return s.used(t.Context(), nil) }); n > most/8 {
		t.Errorf("the addresses have %d bytes", n)
	}
	got, err := s.used(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	used := got.(Used)
	if leased, declined := used.Leased.All(), used.Declined.All(); len(leased) != 1<<15-1 || len(declined) != 1<<15-1 || leased[0].String() != "10.0.0.1" || declined[0].String() != "10.0.0.2" {
		t.Errorf("%d leased from %s, %d declined from %s", len(leased), leased[0], len(declined), declined[0])
	}
}

// What is over is not counted; while nobody knows the leases there is no number, and not 0.
func TestLeasesAreCounted(t *testing.T) {
	now := time.Unix(1000, 0)
	s := newServer(Options{Now: func() time.Time { return now }, Socket: filepath.Join(t.TempDir(), "nobody")})
	if got, err := s.count(t.Context(), nil); err == nil {
		t.Errorf("before Kea was asked there are %v", got)
	}
	s.leases.replace([]control.Lease{
		{Address: "192.0.2.1", Seen: 900, Lifetime: 600},
		{Address: "192.0.2.2", Seen: 900, Lifetime: 600, State: stateDeclined},
		{Address: "192.0.2.3", Seen: 900, Lifetime: 50},
		{Address: "192.0.2.4", Seen: 900, Lifetime: 700},
	})
	if got, err := s.count(t.Context(), nil); err != nil || got != (Count{Leased: 2, Declined: 1}) {
		t.Errorf("counted %v (%v)", got, err)
	}
	s.leases.lose()
	if got, err := s.count(t.Context(), nil); err == nil {
		t.Errorf("after Kea went away there are %v", got)
	}
	s.off = true // which is no fault, and nothing to log
	if got, err := s.count(t.Context(), nil); err != nil || got != (Count{Off: true}) {
		t.Errorf("of one that is switched off: %v (%v)", got, err)
	}
}

// Whoever looks for problems waits for two seconds; a Kea that hangs has to be told by then.
func TestAHangingServerIsToldInTime(t *testing.T) {
	at := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", at) // it never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = newServer(Options{Socket: at}).status(ctx, nil)
	if f, worded := fault.Of(err); !worded || f.Code != Unavailable || ctx.Err() != nil {
		t.Errorf("it answers %v, and %v that it took too long; want in time that it is unavailable", err, ctx.Err())
	}
}
