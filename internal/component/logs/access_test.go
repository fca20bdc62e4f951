package logs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// proxied is a rig whose reverse proxy has an access log with a line each second, and whose main journal
// has ten entries of HAProxy.
func proxied(t *testing.T) (h *handlers, asked *[]string) {
	t.Helper()
	h = rig(t, io.EOF)
	h.sources = sources([]daemon.Service{{Name: "reverse-proxy", Component: "proxy", Unit: "haproxy.service", Title: "Reverse proxy", AccessLog: "ns", AccessSource: "access-log"}})
	asked = &[]string{}
	h.journal.Lines = func(_ context.Context, c sys.Command, each func([]byte) error) error {
		*asked = append(*asked, strings.Join(c.Args, " "))
		name, shift := "m", time.Second
		if slices.Contains(c.Args, "--namespace=ns") {
			name, shift = "x", 0
		}
		from, limit := 0, 1000
		for _, a := range c.Args {
			_, _ = fmt.Sscanf(a, "--after-cursor=s=%d", &from)
			_, _ = fmt.Sscanf(a, "--lines=%d", &limit)
		}
		for i := from + 1; i <= 10 && limit > 0; i, limit = i+1, limit-1 {
			at := noon.Add(-time.Duration(2*i)*time.Second - shift)
			if err := each(fmt.Appendf(nil, `{"__CURSOR":"s=%d","__REALTIME_TIMESTAMP":"%d","_SYSTEMD_UNIT":"haproxy.service","MESSAGE":"%s%d"}`, i, at.UnixMicro(), name, i)); err != nil {
				return err
			}
		}
		return nil
	}
	return h, asked
}

func messages(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Source+" "+e.Message)
	}
	return out
}

// A second service with an access log has its own, among the sources and among what is kept.
func TestEveryAccessLogHasAName(t *testing.T) {
	services := []daemon.Service{
		{Name: "reverse-proxy", Component: "proxy", Unit: "haproxy.service", AccessLog: "ns", AccessSource: "access-log"},
		{Name: "waf", Component: "waf", Unit: "waf.service", AccessLog: "waf-ns"},
	}
	namespaces := map[string]string{}
	for _, s := range sources(services) {
		if s.namespace != "" {
			namespaces[s.Name] = s.namespace
		}
	}
	if want := map[string]string{"access-log": "ns", "waf-access": "waf-ns"}; !maps.Equal(namespaces, want) {
		t.Errorf("the sources are %v, want %v", namespaces, want)
	}
	var names []string
	for _, k := range kept(services) {
		names = append(names, k.Name)
	}
	if want := []string{"logs", "access-log", "waf-access"}; !slices.Equal(names, want) {
		t.Errorf("kept are %v, want %v", names, want)
	}
}

// Whoever reads the logs by way of the reverse proxy would see little but that.
func TestTheAccessLogIsReadOnlyWhereItIsNamed(t *testing.T) {
	h, asked := proxied(t)
	page, err := h.list(t.Context(), &listInput{Limit: 2})
	if got := messages(page.Body.Data.Entries); err != nil || !slices.Equal(got, []string{"reverse-proxy m1", "reverse-proxy m2"}) || strings.Contains(strings.Join(*asked, " "), "--namespace") {
		t.Errorf("by default there are %v (%v), by %q", got, err, *asked)
	}
	*asked = nil
	page, err = h.list(t.Context(), &listInput{Limit: 2, Sources: []string{"access-log"}})
	if got := messages(page.Body.Data.Entries); err != nil || !slices.Equal(got, []string{"access-log x1", "access-log x2"}) || len(*asked) != 1 || !strings.Contains((*asked)[0], "--namespace=ns --unit=haproxy.service ") {
		t.Errorf("of the access log there are %v (%v), by %q", got, err, *asked)
	}
}

// Two journals are one list, page after page: each goes on after its own last entry.
func TestTheAccessLogAndAnotherAreOneList(t *testing.T) {
	h, _ := proxied(t)
	var want []string
	for i := 1; i <= 10; i++ {
		want = append(want, fmt.Sprint("access-log x", i), fmt.Sprint("reverse-proxy m", i))
	}
	for _, size := range []int{1, 3, 7, 30} {
		in := &listInput{Limit: size, Sources: []string{"reverse-proxy", "access-log"}}
		var got []string
		for {
			page, err := h.list(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, messages(page.Body.Data.Entries)...)
			if in.Cursor = page.Body.Data.Next; in.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by pages of %d: %v, want %v", size, got, want)
		}
	}
	if _, err := h.list(t.Context(), &listInput{Cursor: position{Access: "--file=/etc/shadow"}.String()}); !fault.Is(err, fault.Invalid) {
		t.Errorf("err = %v, want the cursor refused", err)
	}
}

// Where a search stopped in one journal, the other waits: nothing is shown twice or left out.
func TestASearchOfTwoJournalsStopsAtOneMoment(t *testing.T) {
	searched := noon.Add(-5 * time.Second)
	older := func(e Entry) bool { return e.At.Before(searched) }
	h, _ := proxied(t)
	all, at, err := h.written(t.Context(), &listInput{Limit: 30}, h.sources, position{})
	if err != nil || !at.IsZero() || len(all) != 20 || !slices.ContainsFunc(all, older) {
		t.Fatalf("%d entries, searched back to %v (%v)", len(all), at, err)
	}
	if got := upTo(all, searched); len(got) != 4 || slices.ContainsFunc(got, older) {
		t.Errorf("back to %v there are %v", searched, messages(got))
	}
	var page Page
	page.fill(nil, searched, position{Journal: "s=1", Access: "s=1"}, 30)
	next, err := parsePosition(page.Next)
	if err != nil || next.Journal != "" || next.Access != "" || !next.Until.Equal(searched.Add(-time.Microsecond)) {
		t.Errorf("goes on at %+v (%v)", next, err)
	}
}
