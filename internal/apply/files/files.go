// Package files keeps managed files whole: a file is replaced in one step or not at
// all, survives a power cut, and carries a hash of itself, so that a torn or edited one
// is found. What the files say, and when they are written, is left to package apply.
package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// mark begins the last line of a sealed file. A daemon reads it as a comment.
const mark = "# gw-sha256 "

// Seal adds the line that Open looks for.
func Seal(data []byte) []byte {
	sum := sha256.Sum256(data)
	out := make([]byte, 0, len(data)+len(mark)+2*sha256.Size+1)
	out = append(append(out, data...), mark...)
	out = hex.AppendEncode(out, sum[:])
	return append(out, '\n')
}

// Open takes the line off again. It answers false unless every byte is as it was sealed.
func Open(sealed []byte) ([]byte, bool) {
	end := len(sealed) - len(mark) - 2*sha256.Size - 1
	if end < 0 {
		return nil, false
	}
	return sealed[:end], bytes.Equal(Seal(sealed[:end]), sealed)
}

// Tree is where files are written. The zero value is the machine's own root.
type Tree struct {
	Root string
	// At is told each step of a write; tests end the process there.
	At func(step string)
	// Group looks up the number of a group; nil asks the system. Tests have other groups.
	Group func(name string) (gid int, err error)
}

func (t Tree) at(step string) {
	if t.At != nil {
		t.At(step)
	}
}

func (t Tree) path(name string) string { return filepath.Join(t.Root, name) }

// temporary is where a file is written before it takes its place. There is one name per
// file, so that whatever a killed process left is overwritten by the next; it ends
// unlike anything that a daemon includes.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".gateway-new")
}

// Write replaces the file by data, sealed. By hand and not with renameio, which gives its
// temporary file a name that a daemon may include and nobody sweeps, and does not sync the folder.
func (t Tree) Write(name string, data []byte, mode fs.FileMode) error {
	return t.WriteFor(name, data, mode, "")
}

// WriteFor is Write for a file that a group may read; an empty one is root's.
func (t Tree) WriteFor(name string, data []byte, mode fs.FileMode, group string) error {
	path := t.path(name)
	gid, err := t.groupID(group)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := t.write(path, Seal(data), mode, gid); err != nil {
		// Leaving it would do no harm, but fill the disk that may be full already.
		_ = os.Remove(temporary(path))
		return err
	}
	return nil
}

// groupID is -1 for no group in particular.
func (t Tree) groupID(name string) (int, error) {
	switch {
	case name == "":
		return -1, nil
	case t.Group != nil:
		return t.Group(name)
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(g.Gid)
}

// AsWritten reports whether mode, owner and group of a file are those that WriteFor gives it:
// a secret that everybody may read is damaged, whatever it says. A missing file is a matter of
// Read.
func (t Tree) AsWritten(name string, mode fs.FileMode, group string) bool {
	path := t.path(name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil || info.Mode() != mode.Perm() { // a link or a set-user-ID bit, too
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != os.Geteuid() {
		return false
	}
	gid, err := t.groupID(group)
	if err == nil && gid < 0 {
		gid, err = newFileGroup(filepath.Dir(path))
	}
	return err == nil && int(st.Gid) == gid
}

// newFileGroup is the group of a file that was made in the folder and given to nobody.
func newFileGroup(dir string) (int, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode()&fs.ModeSetgid != 0 {
		return int(st.Gid), nil
	}
	return os.Getegid(), nil
}

func (t Tree) write(path string, data []byte, mode fs.FileMode, gid int) error {
	tmp := temporary(path)
	if err := writeSynced(tmp, data, mode, gid); err != nil {
		return fmt.Errorf("write beside %s: %w", path, err)
	}
	t.at("tmp_written")
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("put %s in place: %w", path, err)
	}
	t.at("renamed")
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	t.at("dir_synced")
	return nil
}

func writeSynced(path string, data []byte, mode fs.FileMode, gid int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode.Perm())
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if gid >= 0 {
		if err := f.Chown(-1, gid); err != nil {
			return err
		}
	}
	if err := f.Chmod(mode.Perm()); err != nil { // the umask is not the file's
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Damage says how a file differs from what was installed.
type Damage string

// The kinds of damage. Edited is a file that somebody changed on purpose or by
// accident; the two cannot be told apart from outside.
const (
	Whole   Damage = ""
	Missing Damage = "missing"
	Edited  Damage = "edited"
)

// Read returns the file without its seal, and what is wrong with it.
func (t Tree) Read(name string) ([]byte, Damage, error) {
	sealed, err := os.ReadFile(t.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Missing, nil
	}
	if err != nil {
		return nil, Whole, fmt.Errorf("read %s: %w", name, err)
	}
	data, ok := Open(sealed)
	if !ok {
		return nil, Edited, nil
	}
	return data, Whole, nil
}

// Remove takes a file away, for good.
func (t Tree) Remove(name string) error {
	path := t.path(name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}

// Sweep removes what a killed process left beside the file.
func (t Tree) Sweep(name string) error {
	err := os.Remove(temporary(t.path(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep beside %s: %w", name, err)
	}
	return nil
}

// Save keeps v as a sealed JSON file.
func (t Tree) Save(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return t.Write(name, append(data, '\n'), 0o600)
}

// Load reads what Save kept. A missing or damaged file is no error: it answers false.
func (t Tree) Load(name string, v any) (bool, error) {
	data, damage, err := t.Read(name)
	if err != nil || damage != Whole {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("decode %s: %w", name, err)
	}
	return true, nil
}
