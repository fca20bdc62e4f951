package rtnl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"gateway/internal/process"
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

// minInterval is how long after a look the next one comes at the earliest: changes of the network
// often come many at once.
const minInterval = 200 * time.Millisecond

// OnChange calls look after each change that watch tells of, until ctx ends or watch fails. Those
// that come close together share one look. watch is Watch, or what stands for it in a test.
func OnChange(ctx context.Context, watch func(ctx context.Context, wake func()) error, look func()) error {
	woken := make(chan struct{}, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return watch(ctx, func() { process.Notify(woken) }) })
	g.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-woken:
			}
			look()
			if !process.Pause(ctx, minInterval) {
				return nil
			}
		}
	})
	return g.Wait()
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
