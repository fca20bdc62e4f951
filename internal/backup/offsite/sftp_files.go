package offsite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pkg/sftp"
)

// unfinished is how the name of a file ends that is being uploaded. Its random middle keeps two who upload the same
// apart.
const unfinished = ".part"

// put writes beside, and gives the file its name when all of it is there.
func (f *folder) put(_ context.Context, name string, size int64, r io.ReaderAt) error {
	if err := f.room(size); err != nil {
		return err
	}
	f.tidy(name)
	beside := path.Join(f.dir, "."+name+"."+rand.Text()+unfinished)
	if err := f.write(beside, size, r); err != nil {
		return errors.Join(f.why(err, size), f.forget(beside))
	}
	if err := f.rename(beside, path.Join(f.dir, name)); err != nil {
		return errors.Join(f.why(fmt.Errorf("rename the file: %w", err), 0), f.forget(beside))
	}
	return nil
}

// room refuses what cannot fit before anything is sent. Not every server says how much there is.
func (f *folder) room(size int64) error {
	info, err := f.files.Stat(f.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return fail(CodeFolder, map[string]string{"folder": f.dir}, err)
	}
	if free, known := f.free(); known && free < size {
		return fail(CodeFull, nil, fmt.Errorf("%d bytes are free, want %d", free, size))
	}
	return nil
}

func (f *folder) free() (bytes int64, known bool) {
	if _, has := f.files.HasExtension("statvfs@openssh.com"); !has {
		return 0, false
	}
	v, err := f.files.StatVFS(f.dir)
	if err != nil || v.Frsize == 0 || v.Bavail > math.MaxInt64/v.Frsize {
		return 0, false
	}
	return int64(v.Bavail * v.Frsize), true
}

func (f *folder) write(name string, size int64, r io.ReaderAt) error {
	file, err := f.files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	n, err := file.ReadFrom(io.NewSectionReader(r, 0, size))
	if _, has := f.files.HasExtension("fsync@openssh.com"); has && err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	info, err := f.files.Stat(name)
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	if n != size || info.Size() != size {
		return fail(CodeIncomplete, nil, fmt.Errorf("sent %d bytes, the file has %d, want %d", n, info.Size(), size))
	}
	return nil
}

// rename takes the place of a file of that name, as one step where the server can.
func (f *folder) rename(from, to string) error {
	if _, has := f.files.HasExtension("posix-rename@openssh.com"); has {
		return f.files.PosixRename(from, to)
	}
	if err := f.files.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.files.Rename(from, to)
}

// forget removes what was not finished, if the server can still be reached; else the next upload does.
func (f *folder) forget(name string) error {
	if f.cut() {
		return nil
	}
	if err := f.files.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the unfinished file: %w", err)
	}
	return nil
}

// tidy removes what earlier attempts left: all of this name, and what is old of others, which may be another node's.
// What cannot be removed is no reason to fail.
func (f *folder) tidy(name string) {
	entries, err := f.files.ReadDir(f.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), unfinished) || !e.Mode().IsRegular() {
			continue
		}
		mine := strings.HasPrefix(e.Name(), "."+name+".")
		old := strings.Contains(e.Name(), suffix+".") && f.deps.Now().Sub(e.ModTime()) > abandoned
		if mine || old {
			_ = f.files.Remove(path.Join(f.dir, e.Name()))
		}
	}
}

func (f *folder) remove(_ context.Context, name string) error {
	err := f.files.Remove(path.Join(f.dir, name))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.why(fmt.Errorf("remove the file: %w", err), 0)
}

func (f *folder) list(ctx context.Context) ([]Object, error) {
	entries, err := f.files.ReadDirContext(ctx, f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail(CodeFolder, map[string]string{"folder": f.dir}, err)
	}
	if err != nil {
		return nil, f.why(fmt.Errorf("list the folder: %w", err), 0)
	}
	var out []Object
	for _, e := range entries {
		if e.Mode().IsRegular() && fileName.MatchString(e.Name()) {
			out = append(out, Object{e.Name(), e.Size(), e.ModTime()})
		}
	}
	slices.SortFunc(out, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// why is the code of a failure. The protocol has no word for a full disk: it is one if a write fails and less is free
// than was to be written.
func (f *folder) why(err error, size int64) *Error {
	var known *Error
	var status *sftp.StatusError
	switch {
	case errors.As(err, &known):
		return known
	case f.cut():
		return f.explain(err)
	case errors.Is(err, fs.ErrPermission):
		return fail(CodeDenied, nil, err)
	case errors.As(err, &status):
		if free, ok := f.free(); ok && free < size {
			return fail(CodeFull, nil, err)
		}
		return fail(CodeAnswer, map[string]string{"status": status.FxCode().Error()}, err)
	}
	return f.explain(err)
}
