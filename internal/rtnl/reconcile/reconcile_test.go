package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gateway/internal/fault"
)

func TestANewRefusalKeepsTheWordsOfItsReason(t *testing.T) {
	busy, down := NewRefusal("interface p0", unix.EBUSY), NewRefusal("route 192.0.2.0/24", unix.ENETDOWN)
	taken := NewRefusal("address 192.0.2.1/24 on p0", unix.EEXIST) // a conflict, which is no refusal
	for _, tc := range []struct {
		name        string
		before, now []Trouble
		want        fault.Sentence
	}{
		{"nothing new", []Trouble{busy}, []Trouble{busy, taken}, fault.Sentence{}},
		{"one", []Trouble{busy}, []Trouble{busy, taken, down}, fault.Said("the kernel refused %s: %s", fault.Said("route %s", "192.0.2.0/24"), fault.Said("the interface is down"))},
		{"two", nil, []Trouble{busy, down}, fault.Said("the kernel refused this: %s", "interface p0: the interface is in use; route 192.0.2.0/24: the interface is down")},
	} {
		var got fault.Sentence
		if err := RefusalError(tc.before, tc.now); err != nil {
			got = fault.SentenceOf(err)
		}
		if d := cmp.Diff(got, tc.want); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func TestTheSameTroubleIsKnown(t *testing.T) {
	busy := NewRefusal("interface p0", unix.EBUSY)
	if !NewRefusal("interface p0", unix.EBUSY).In([]Trouble{busy}) {
		t.Error("the same refusal is taken for a new one")
	}
	if NewRefusal("interface p0", unix.ENODEV).In([]Trouble{busy}) || NewRefusal("interface p1", unix.EBUSY).In([]Trouble{busy}) {
		t.Error("another refusal is taken for a known one")
	}
	// What the kernel says otherwise has no words.
	if d := cmp.Diff(NewRefusal("interface p0", unix.EIO).Why, fault.Sentence{Message: unix.EIO.Error()}); d != "" {
		t.Error(d)
	}
}

// The catalogs have words for these; what the kernel says otherwise is told as it is.
func TestARefusalOfTheKernelHasWords(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.EACCES: "the interface or this node does not allow the address family; is IPv6 turned off there?",
		unix.EPERM:  "gateway-apply may not do this on this node", unix.EADDRNOTAVAIL: "the interface does not have this address",
		unix.EADDRINUSE: "another program listens on its UDP port",
		unix.ENOMEM:     "the kernel has no room for more", unix.EINVAL: "the kernel does not accept one of its values (%s)", unix.EIO: "",
	} {
		if got := NewRefusal("route 192.0.2.0/24", errno).Why.Text; got != want {
			t.Errorf("%s has the text %q, want %q", errno, got, want)
		}
	}
}
