package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/lab"
)

func TestTheSearchFindsTheLargestThatPasses(t *testing.T) {
	for _, tc := range []struct{ link, path, most int }{
		{1500, 1500, 1}, // the usual case takes one packet
		{1500, 1499, 12},
		{1500, 1280, 12},
		{1500, 85, 12},
		{1500, 84, 12},
		{9000, 1420, 15},
		{65535, 68, 17},
		{60, 60, 0},
	} {
		asked := 0
		r := sizes{passes: 84, fails: tc.link + 1, try: func(_ context.Context, size int) error {
			if asked++; size > tc.link {
				t.Errorf("%+v: %d bytes were sent", tc, size)
			}
			if size > tc.path {
				return os.ErrDeadlineExceeded
			}
			return nil
		}}
		if err := r.search(t.Context(), &strings.Builder{}); err != nil || r.passes != max(tc.path, 84) || asked > tc.most {
			t.Errorf("%+v: %d bytes after %d packets, %v", tc, r.passes, asked, err)
		}
	}
}

func TestASearchEndsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := sizes{passes: 84, fails: 1501, try: func(context.Context, int) error {
		cancel()
		return os.ErrDeadlineExceeded
	}}
	if err := r.search(ctx, &strings.Builder{}); !errors.Is(err, context.Canceled) {
		t.Errorf("search = %v, want that it was cancelled", err)
	}
}

// The interface says 1500, and what lets the packets through is narrower.
func TestTheMTUIsThatOfTheKernel(t *testing.T) {
	space := lab.NewSpace(t)
	for _, target := range []string{"127.0.0.1", "::1"} {
		tools := far()
		tools.Ways.To = func(context.Context, netip.Addr) (Way, error) { return Way{Interface: "wan", MTU: 1500}, nil }
		var got Result
		err := space.Do(func() error {
			lo, err := netlink.LinkByName("lo")
			if err != nil {
				return err
			}
			if err := errors.Join(netlink.LinkSetMTU(lo, 1400), os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 0"), 0)); err != nil {
				return fmt.Errorf("prepare the network: %w", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			got = tools.Try(ctx, Question{Tool: "mtu", Target: target})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want(t, got, Answered, "1500 bytes: message too long", "MTU of the path: 1400 bytes", "MTU of the outgoing interface wan: 1500 bytes")
	}
}

func TestWithoutARouteThereIsNoMTU(t *testing.T) {
	tools := far()
	tools.Ways.To = func(context.Context, netip.Addr) (Way, error) { return Way{}, errors.New("no route") }
	want(t, tools.Try(t.Context(), Question{Tool: "mtu", Target: "192.0.2.1"}), Failed, "no route")
	want(t, far().Try(t.Context(), Question{Tool: "mtu", Target: "192.0.2.1"}), Failed, "nobody knows")
}
