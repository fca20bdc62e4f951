// Package reconcile has what all packages share that bring the kernel to a wanted state: steps,
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
	// AllowsDuplicate says that the kernel would take it although another program has the same.
	AllowsDuplicate bool
	// NoRecheck says that nothing follows from it, so that there is no need for another look.
	NoRecheck bool
	// Expected is what the kernel may answer too: the thing is gone with another one already.
	Expected []error
}

// Trouble is why something wanted is not there.
type Trouble struct {
	Kind    string         `json:"kind" enum:"missing,conflict,refused" doc:"missing: there is no such interface; conflict: another program's is in its place; refused: the kernel refuses it"`
	Subject string         `json:"subject" doc:"What is not applied"`
	Why     fault.Sentence `json:"why" doc:"The kernel's or the conflict's reason"`
}

// In reports whether the same was known before.
func (t Trouble) In(before []Trouble) bool {
	return slices.ContainsFunc(before, func(b Trouble) bool {
		return b.Kind == t.Kind && b.Subject == t.Subject && b.Why.Message == t.Why.Message
	})
}

// The kinds of trouble.
const (
	Missing  = "missing"
	Conflict = "conflict"
	Refused  = "refused"
)

// SameSteps reports whether the same is to be done as before.
func SameSteps(a, b []Step) bool {
	return slices.EqualFunc(a, b, func(x, y Step) bool { return x.What == y.What && x.Msg.Equal(y.Msg) })
}

// Send sends the steps to the kernel, and answers what it refused.
func Send(conn *rtnl.Conn, steps []Step) (refused []Trouble, err error) {
	errs, err := conn.Do(Messages(steps))
	if err != nil {
		return nil, err
	}
	for i, e := range errs {
		if steps[i].Failed(e) {
			refused = append(refused, NewRefusal(steps[i].What, e))
		}
	}
	return refused, nil
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
	return err != nil && !slices.ContainsFunc(s.Expected, func(f error) bool { return errors.Is(err, f) })
}

// OwnedByOther is the conflict with what is not ours.
func OwnedByOther() fault.Sentence {
	return fault.Said("another program has the same in the kernel already")
}

// NewRefusal says what a number of the kernel means for the operator.
func NewRefusal(what string, err error) Trouble {
	t := Trouble{Kind: Refused, Subject: what, Why: meaning(err)}
	if errors.Is(err, unix.EEXIST) {
		t.Kind = Conflict
	}
	return t
}

func meaning(err error) fault.Sentence {
	switch {
	case errors.Is(err, unix.EEXIST):
		return OwnedByOther()
	case errors.Is(err, unix.ENETUNREACH), errors.Is(err, unix.EHOSTUNREACH):
		return fault.Said("the gateway is in no network of this node")
	case errors.Is(err, unix.EADDRINUSE):
		return fault.Said("another program listens on its UDP port") // only tunnels have one
	case errors.Is(err, unix.ENETDOWN):
		return fault.Said("the interface is down")
	case errors.Is(err, unix.ERANGE):
		return fault.Said("the MTU is out of the range of the interface or of its parent")
	case errors.Is(err, unix.EOPNOTSUPP):
		return fault.Said("the kernel of this node does not support it")
	case errors.Is(err, unix.EBUSY):
		return fault.Said("the interface is in use")
	case errors.Is(err, unix.ENODEV):
		return fault.Said("the interface is gone")
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EAFNOSUPPORT):
		return fault.Said("the interface or this node does not allow the address family; is IPv6 turned off there?")
	case errors.Is(err, unix.EPERM):
		return fault.Said("gateway-apply may not do this on this node")
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fault.Said("the interface does not have this address")
	case errors.Is(err, unix.ENOMEM), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.ENOSPC):
		return fault.Said("the kernel has no room for more")
	case errors.Is(err, unix.EINVAL):
		return fault.Said("the kernel does not accept one of its values (%s)", err)
	}
	return fault.SentenceOf(err)
}

// NewRefusals are those of now that were not there before.
func NewRefusals(before, now []Trouble) []Trouble {
	return slices.DeleteFunc(slices.Clone(now), func(t Trouble) bool {
		return t.Kind != Refused || slices.ContainsFunc(before, func(b Trouble) bool { return b.Subject == t.Subject })
	})
}

// RefusalError words the refusals that are new.
func RefusalError(before, now []Trouble) error {
	fresh := NewRefusals(before, now)
	switch len(fresh) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "the kernel refused %s: %s", fault.Named(fresh[0].Subject), fresh[0].Why).WithCode("kernel_refused")
	}
	words := make([]string, len(fresh))
	for i, t := range fresh {
		words[i] = t.Subject + ": " + t.Why.Message
	}
	return fault.New(fault.Conflict, "the kernel refused this: %s", strings.Join(words, "; ")).WithCode("kernel_refused")
}
