package namelist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Folder keeps an index up to date with the files of a folder.
type Folder struct {
	Path  string
	Index *Index

	known map[string]bool // files that are in the index
	buf   []byte
}

// Follow reads the folder, and returns when it has; from then on each file is read again as soon as it
// changes, until stopped is told why that ended.
func (f *Folder) Follow(stopped chan<- error) error {
	f.known = map[string]bool{}
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return fmt.Errorf("watch %s: %w", f.Path, err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	// Files come by being renamed.
	if _, err := syscall.InotifyAddWatch(fd, f.Path, syscall.IN_MOVED_TO|syscall.IN_MOVED_FROM|syscall.IN_DELETE|syscall.IN_CLOSE_WRITE|syscall.IN_ONLYDIR); err != nil {
		return errors.Join(fmt.Errorf("watch %s: %w", f.Path, err), events.Close())
	}
	if err := f.scan(); err != nil {
		return errors.Join(err, events.Close())
	}
	go func() { stopped <- errors.Join(f.watch(events), events.Close()) }()
	return nil
}

func (f *Folder) scan() error {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return fmt.Errorf("read the lists: %w", err)
	}
	names := slices.Collect(maps.Keys(f.known)) // some of which may be gone
	for _, e := range entries {
		if !f.known[e.Name()] {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		if err := f.load(name); err != nil {
			return err
		}
	}
	return nil
}

// load updates the index from one file. Files that are no part of a list are ignored.
func (f *Folder) load(name string) error {
	list, parts, number, ok := readFile(name)
	if !ok {
		return nil
	}
	text, err := f.read(filepath.Join(f.Path, name))
	if errors.Is(err, fs.ErrNotExist) {
		if f.known[name] {
			f.Index.Remove(list, parts, number)
			delete(f.known, name)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read a list: %w", err)
	}
	f.Index.Put(list, parts, number, text)
	f.known[name] = true
	return nil
}

// read uses one buffer for all files: at the start there are hundreds.
func (f *Folder) read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := bytes.NewBuffer(f.buf[:0])
	_, err = b.ReadFrom(file)
	f.buf = b.Bytes()
	return f.buf, err
}

func (f *Folder) watch(events *os.File) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := events.Read(buf)
		if err != nil {
			return fmt.Errorf("watch %s: %w", f.Path, err)
		}
		for rest := buf[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			end := syscall.SizeofInotifyEvent + int(length)
			name, _, _ := bytes.Cut(rest[syscall.SizeofInotifyEvent:end], []byte{0})
			rest = rest[end:]
			switch {
			case mask&syscall.IN_Q_OVERFLOW != 0: // some events were lost
				err = f.scan()
			case mask&syscall.IN_IGNORED != 0:
				err = fmt.Errorf("%s is gone", f.Path)
			default:
				err = f.load(string(name))
			}
			if err != nil {
				return err
			}
		}
	}
}
