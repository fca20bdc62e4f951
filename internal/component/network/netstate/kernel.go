package netstate

import "gateway/internal/rtnl"

const ownProtocol = rtnl.Protocol

// conn is what is asked of the kernel: an rtnl.Conn.
type conn interface {
	Links() ([]rtnl.Link, error)
	Addrs() ([]rtnl.Addr, error)
	Routes(protocol uint8) ([]rtnl.Route, error)
}
