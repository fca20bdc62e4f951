package privatefile

import (
	"encoding/binary"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Tags of struct posix_acl_xattr_entry in linux/posix_acl.h.
const (
	aclVersion  = 2
	aclUserObj  = 0x01
	aclUser     = 0x02
	aclMask     = 0x10
	aclEntryLen = 8
)

// exposed reports whether anyone but the owner, and the user we run as, may open f.
//
// systemd hands a credential to an unprivileged service by an access control list for
// that user. The list's mask then shows up in the group bits (0440) although the group
// has no right at all, so the bits alone would refuse every LoadCredential= file.
func exposed(f *os.File, mode fs.FileMode) bool {
	if mode.Perm()&0o007 != 0 {
		return true
	}
	if mode.Perm()&0o070 == 0 {
		return false
	}
	list := make([]byte, 1024)
	n, err := unix.Fgetxattr(int(f.Fd()), "system.posix_acl_access", list)
	if err != nil {
		return true // no list, or none we can read: the group bits mean the group
	}
	return aclExposes(list[:n], uint32(os.Geteuid()))
}

func aclExposes(list []byte, self uint32) bool {
	if len(list) < 4 || binary.LittleEndian.Uint32(list) != aclVersion {
		return true
	}
	for list = list[4:]; len(list) >= aclEntryLen; list = list[aclEntryLen:] {
		tag := binary.LittleEndian.Uint16(list)
		rights := binary.LittleEndian.Uint16(list[2:])
		user := binary.LittleEndian.Uint32(list[4:])
		switch {
		case tag == aclUserObj, tag == aclMask, tag == aclUser && user == self:
		case rights != 0:
			return true
		}
	}
	return len(list) != 0
}
