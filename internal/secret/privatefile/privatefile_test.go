package privatefile

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCreateIsExclusiveAndReplaceIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Create(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: %v, want exist", err)
	}
	if got, err := Read(path); err != nil || string(got) != "one" {
		t.Errorf("content = %q, %v, want one", got, err)
	}
	if err := Replace(path, []byte("three"), 0o400); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || string(got) != "three" {
		t.Errorf("content = %q, %v, want three", got, err)
	}
	if info, _ := os.Stat(path); info.Mode() != 0o400 {
		t.Errorf("mode = %v, want 0400", info.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files, want no temporary ones left", len(left))
	}
}

func TestWhatRootWritesBelongsToTheOwnerOfTheDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 4711, 4712); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	if err := Create(path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path+"2", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	for _, name := range []string{"file", "file2", "file.lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 4711 || st.Gid != 4712 {
			t.Errorf("%s belongs to %d:%d, want 4711:4712", name, st.Uid, st.Gid)
		}
	}
}

func TestReplaceDoesNotFollowALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "shadow"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("read through a link: %v, want it refused", err)
	}
	if err := Replace(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "precious" {
		t.Errorf("target = %q, want it untouched", got)
	}
}

func TestReadRefusesWhatIsNoPlainPrivateFile(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(path string) error
	}{
		{"a file the group may read", func(p string) error { return writeMode(p, 0o640) }},
		{"a file the world may write", func(p string) error { return writeMode(p, 0o602) }},
		{"a directory", func(p string) error { return os.Mkdir(p, 0o700) }},
		{"a fifo", func(p string) error { return unix.Mkfifo(p, 0o600) }},
		{"a huge file", func(p string) error { return os.WriteFile(p, make([]byte, maxSize+1), 0o600) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := tc.make(path); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(path); err == nil {
				t.Errorf("read %d bytes, want an error", len(got))
			}
		})
	}
}

func writeMode(path string, mode fs.FileMode) error {
	return errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chmod(path, mode))
}

// systemd gives a credential to an unprivileged service by such a list; see exposed.
func TestReadTakesACredentialGrantedByAccessList(t *testing.T) {
	self := uint32(os.Geteuid())
	for _, tc := range []struct {
		name  string
		list  []byte
		wants bool
	}{
		{"granted to us alone", acl(entry{1, 4, none}, entry{2, 4, self}, entry{4, 0, none}, entry{16, 4, none}, entry{32, 0, none}), true},
		{"granted to another user", acl(entry{1, 4, none}, entry{2, 4, self + 1}, entry{4, 0, none}, entry{16, 4, none}, entry{32, 0, none}), false},
		{"granted to the group", acl(entry{1, 4, none}, entry{2, 4, self}, entry{4, 4, none}, entry{16, 4, none}, entry{32, 0, none}), false},
		{"granted to another group", acl(entry{1, 4, none}, entry{4, 0, none}, entry{8, 4, 99}, entry{16, 4, none}, entry{32, 0, none}), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := writeMode(path, 0o400); err != nil {
				t.Fatal(err)
			}
			if err := unix.Setxattr(path, "system.posix_acl_access", tc.list, 0); err != nil {
				t.Skipf("no access lists here: %v", err)
			}
			if info, _ := os.Stat(path); info.Mode().Perm() != 0o440 {
				t.Fatalf("mode = %v, want the mask in the group bits", info.Mode())
			}
			if _, err := Read(path); (err == nil) != tc.wants {
				t.Errorf("read: %v, want success %v", err, tc.wants)
			}
		})
	}
	if !aclExposes(nil, self) || !aclExposes([]byte{2, 0, 0, 0, 1}, self) {
		t.Error("a list that cannot be understood was trusted")
	}
}

const none = ^uint32(0)

type entry struct {
	tag, rights uint16
	id          uint32
}

func acl(entries ...entry) []byte {
	list := binary.LittleEndian.AppendUint32(nil, aclVersion)
	for _, e := range entries {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.rights)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

func TestLockExcludesEveryoneElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			unlock, err := Lock(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			// A directory can be made only once, so a second holder would be seen.
			if err := os.Mkdir(path+".inside", 0o700); err != nil {
				t.Errorf("two at once: %v", err)
			}
			if err := os.Remove(path + ".inside"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
