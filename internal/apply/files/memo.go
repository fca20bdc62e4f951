package files

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Memo remembers how files looked when they were last read, so that ten thousand need not
// be read every second. The zero value remembers none.
type Memo struct {
	seen map[string]stamp
}

// stamp changes with every write: the last of its times cannot be set.
type stamp struct {
	inode          uint64
	size           int64
	modified, meta syscall.Timespec
}

// settled is how old a stamp must be before it is believed: the kernel's clock for files
// stands still for some milliseconds, and two writes within those look like one.
const settled = time.Second

// Look answers true when the file is as it was remembered. Otherwise it remembers it as it
// is now, which is before the caller reads it.
func (m *Memo) Look(t Tree, name string, now time.Time) bool {
	info, err := os.Lstat(t.path(name))
	if err != nil {
		m.Forget(name)
		return false
	}
	s, changed := stampOf(info)
	if m.seen[name] == s {
		return true
	}
	m.Forget(name)
	if now.Sub(changed) > settled {
		if m.seen == nil {
			m.seen = map[string]stamp{}
		}
		m.seen[name] = s
	}
	return false
}

// Forget has the file read the next time.
func (m *Memo) Forget(name string) { delete(m.seen, name) }

func stampOf(info fs.FileInfo) (stamp, time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, time.Now()
	}
	return stamp{st.Ino, info.Size(), st.Mtim, st.Ctim}, time.Unix(st.Ctim.Unix())
}
