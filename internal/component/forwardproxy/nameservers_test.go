package forwardproxy

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// pageOf is Squid's page of its DNS with two servers.
func pageOf(counts ...any) string {
	return fmt.Sprintf(`Internal DNS Statistics:

The Queue:
                       DELAY SINCE
  ID   SIZE SENDS FIRST SEND LAST SEND M FQDN
------ ---- ----- ---------- --------- - ----

DNS jumbo-grams: not working

Nameservers:
IP ADDRESS                                     # QUERIES # REPLIES Type
---------------------------------------------- --------- --------- --------
192.0.2.53                                     %9d %9d recurse
2001:db8::53                                   %9d %9d recurse

Rcode Matrix:
RCODE ATTEMPT1 ATTEMPT2 ATTEMPT3 PROBLEM
    0        5        0        0 : Success
`, counts...)
}

// A server is silent when it was asked and owes the answer for longer than an answer takes; one that answers again is not.
func TestANameServerThatOwesAnswersIsSilent(t *testing.T) {
	began := time.Now()
	var n nameservers
	for _, tc := range []struct {
		what   string
		after  time.Duration
		counts []any
		want   []string
	}{
		{"at the first look nothing is known", 0, []any{9, 5, 7, 7}, nil},
		{"nobody asked", 10 * time.Second, []any{9, 5, 7, 7}, nil},
		{"asked a moment ago", 11 * time.Second, []any{10, 5, 8, 8}, nil},
		{"the answer is late", 14 * time.Second, []any{10, 5, 8, 8}, []string{"192.0.2.53"}},
		{"asked again", 20 * time.Second, []any{12, 5, 9, 8}, []string{"192.0.2.53"}},
		{"both", 30 * time.Second, []any{12, 5, 9, 8}, []string{"192.0.2.53", "2001:db8::53"}},
		{"one has answered", 31 * time.Second, []any{13, 6, 9, 8}, []string{"2001:db8::53"}},
		{"Squid was restarted", 32 * time.Second, []any{0, 0, 0, 0}, nil},
	} {
		if got := n.silent(pageOf(tc.counts...), began.Add(tc.after)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: silent are %q, want %q", tc.what, got, tc.want)
		}
	}
}
