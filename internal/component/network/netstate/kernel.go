package netstate

import (
	"errors"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

const ownProtocol = rtnl.Protocol

// conn is what is asked of the kernel: an rtnl.Conn.
type conn interface {
	Links() ([]rtnl.Link, error)
	Addrs() ([]rtnl.Addr, error)
	Routes(protocol uint8) ([]rtnl.Route, error)
}

func messages(steps []Step) []rtnl.Message {
	out := make([]rtnl.Message, len(steps))
	for i, s := range steps {
		out[i] = s.Msg
	}
	return out
}

// newRefusal says what a number of the kernel means for the operator.
func newRefusal(what string, err error) Trouble {
	t := Trouble{Kind: Refused, Subject: what, Why: err.Error()}
	for no, why := range map[unix.Errno]string{
		unix.EEXIST:       "another program has the same in the kernel already",
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
