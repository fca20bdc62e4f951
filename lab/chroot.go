package lab

import "testing"

// chrooted runs a program in Debian's root, which it must not write to, with the host's
// /tmp, and /proc, without which there is no /dev/stdin. $0 is the root, $1 a folder whose
// etc/gateway takes the place of /etc/gateway.
const chrooted = `mount --make-rprivate / && mount --bind /tmp "$0/tmp" && mount --bind /proc "$0/proc" || exit 1
if [ -n "$1" ] && [ -d "$1/etc/gateway" ]; then
	mount -t overlay overlay -o "lowerdir=$1/etc:$0/etc" "$0/etc" && mount --bind "$1/etc/gateway" "$0/etc/gateway" || exit 1
fi
shift
exec chroot "$0" "$@"`

// InRoot is the command line that runs a program of Debian 13 in its own root, with the
// host's /tmp, for tests that need no node. What dir has below etc/gateway, unless dir is
// empty, is seen below /etc/gateway. The process is the program's: no other stays in between.
func InRoot(t testing.TB, dir string, program ...string) []string {
	t.Helper()
	root, err := Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 for tests: %v", err)
	}
	return append([]string{"unshare", "--mount", "sh", "-c", chrooted, root, dir}, program...)
}
