package rtnl

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Watch calls wake whenever links, addresses, routes or rules changed, until ctx ends. It does not
// say what changed: whoever is woken looks. Events that the kernel had no room for wake too.
func Watch(ctx context.Context, wake func()) error {
	f, err := subscribe(unix.RTNLGRP_LINK, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR, unix.RTNLGRP_IPV4_ROUTE, unix.RTNLGRP_IPV6_ROUTE,
		unix.RTNLGRP_IPV4_RULE, unix.RTNLGRP_IPV6_RULE)
	if err != nil {
		return fmt.Errorf("watch the network: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer func() {
		if stop() {
			f.Close()
		}
	}()
	buf := make([]byte, readBytes)
	for {
		_, err := f.Read(buf)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, unix.ENOBUFS):
			return fmt.Errorf("watch the network: %w", err)
		}
		wake()
	}
}

func subscribe(groups ...int) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "rtnetlink events")
	err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	for _, g := range groups {
		err = errors.Join(err, unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_ADD_MEMBERSHIP, g))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
