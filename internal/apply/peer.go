package apply

import (
	"fmt"
	"net"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// peer returns the process at the other end as it was when it connected; the kernel
// vouches for it.
func peer(c *net.UnixConn) (*unix.Ucred, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("read the peer's credentials: %w", err)
	}
	var cred *unix.Ucred
	var sockErr error
	err = raw.Control(func(fd uintptr) {
		cred, sockErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = sockErr
	}
	if err != nil {
		return nil, fmt.Errorf("read the peer's credentials: %w", err)
	}
	return cred, nil
}

// UIDs finds the numbers of the users that may talk to the applier.
func UIDs(users ...string) ([]uint32, error) {
	var out []uint32
	for _, name := range users {
		u, err := user.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("find the user %s: %w", name, err)
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read the uid of %s: %w", name, err)
		}
		out = append(out, uint32(uid))
	}
	return out, nil
}
