// Package reconcile has what all have in common who lead the kernel to a wanted state: steps,
// and the words for those that it does not take. What is wanted is left to them.
package reconcile

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
)

// Step is one message to the kernel, and what it is about.
type Step struct {
	What string
	Msg  rtnl.Message
	// Attempt names what it is a part of, where a refusal of one part is one of all: a link that
	// is made, or taken into another one. It is not tried again at once.
	Attempt string
	// Beside says that the kernel would take it although another program has the same.
	Beside bool
	// Last says that nothing follows from it, so that there is no need for another look.
	Last bool
	// Fine is what the kernel may answer too: the thing is gone with another one already.
	Fine []error
}

// Trouble is why something wanted is not there.
type Trouble struct {
	Kind    string `json:"kind" enum:"missing,conflict,refused" doc:"missing: there is no such interface; conflict: another program's is in its place; refused: the kernel refuses it"`
	Subject string `json:"subject" doc:"What is not applied"`
	Why     string `json:"why" doc:"The kernel's or the conflict's reason"`
}

// The kinds of trouble.
const (
	Missing  = "missing"
	Conflict = "conflict"
	Refused  = "refused"
)

// Alike reports whether the same is to be done as before.
func Alike(a, b []Step) bool {
	return slices.EqualFunc(a, b, func(x, y Step) bool { return x.What == y.What && x.Msg.Equal(y.Msg) })
}

// Messages are those of the steps.
func Messages(steps []Step) []rtnl.Message {
	out := make([]rtnl.Message, len(steps))
	for i, s := range steps {
		out[i] = s.Msg
	}
	return out
}

// Failed reports whether an answer of the kernel to a step is an error.
func (s Step) Failed(err error) bool {
	return err != nil && !slices.ContainsFunc(s.Fine, func(f error) bool { return errors.Is(err, f) })
}

// Occupied is the conflict with what is not ours.
const Occupied = "another program has the same in the kernel already"

// NewRefusal says what a number of the kernel means for the operator.
func NewRefusal(what string, err error) Trouble {
	t := Trouble{Kind: Refused, Subject: what, Why: err.Error()}
	for no, why := range map[unix.Errno]string{
		unix.EEXIST:       Occupied,
		unix.ENETUNREACH:  "the gateway is in no network of this node",
		unix.EHOSTUNREACH: "the gateway is in no network of this node",
		unix.ENETDOWN:     "the interface is down",
		unix.ERANGE:       "the MTU is out of the range of the interface or of its parent",
		unix.EOPNOTSUPP:   "the kernel of this node does not support it",
		unix.EBUSY:        "the interface is in use",
		unix.ENODEV:       "the interface is gone",
	} {
		if errors.Is(err, no) {
			t.Why = why
		}
	}
	if errors.Is(err, unix.EEXIST) {
		t.Kind = Conflict
	}
	return t
}

// Fresh words the refusals that are new.
func Fresh(before, now []Trouble) error {
	var words []string
	for _, t := range now {
		if t.Kind == Refused && !slices.ContainsFunc(before, func(b Trouble) bool { return b.Subject == t.Subject }) {
			words = append(words, t.Subject+": "+t.Why)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "the kernel refused this: %s", strings.Join(words, "; ")).WithCode("kernel_refused")
}
