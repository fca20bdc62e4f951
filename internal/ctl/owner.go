package ctl

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// journalGroup may read the journal. gateway-api is in it by its unit, so the API of this process is too.
const journalGroup = "systemd-journal"

// becomeOwner gives up root for the user who owns the state folder: PostgreSQL
// knows that user, and reading a log needs no more.
func becomeOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || owner.Uid == 0 {
		return nil
	}
	u, err := user.LookupId(strconv.Itoa(int(owner.Uid)))
	if err != nil {
		return fmt.Errorf("owner of %s: %w", dir, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return fmt.Errorf("group of %s: %w", u.Username, err)
	}
	groups := []int{gid}
	if g, err := user.LookupGroup(journalGroup); err == nil {
		if id, err := strconv.Atoi(g.Gid); err == nil {
			groups = append(groups, id)
		}
	}
	if err := errors.Join(syscall.Setgroups(groups), syscall.Setgid(gid), syscall.Setuid(int(owner.Uid))); err != nil {
		return fmt.Errorf("become %s: %w", u.Username, err)
	}
	return nil
}
