package setupstate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"gateway/internal/secret/privatefile"
)

// maxSize is a thousand times what the file has; what is cut does not decode.
const maxSize = 1 << 20

// Store is the setup store file. It is safe for concurrent use, by any number of
// stores in any number of processes.
type Store struct {
	path    string
	replace func(path string, data []byte, mode fs.FileMode) error // for tests of a failing disk

	updating sync.Mutex // before the file lock: one thread per process waits in the kernel

	mu     sync.Mutex // guards cached
	cached *snapshot
}

// snapshot is a state with the file it was read from. The file stays open so that its
// inode number cannot be given to the next version: same number, same file.
type snapshot struct {
	file  *os.File
	info  fs.FileInfo
	state State
}

// Open returns the store at path. The file may be missing, its directory may not.
func Open(path string) (*Store, error) {
	s := &Store{path: path, replace: privatefile.Replace}
	if _, err := s.Load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Load returns the present state, and Default when the file is missing. What another
// process wrote is seen at once; as long as nothing changed it costs one stat.
// A file that cannot be read or understood is an error, never an appliance not set up.
func (s *Store) Load() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Lstat(s.path)
	if err == nil && s.cached != nil && s.cached.matches(info) {
		return s.cached.state.clone(), nil
	}
	return s.read()
}

func (c *snapshot) matches(info fs.FileInfo) bool {
	return os.SameFile(c.info, info) && c.info.ModTime().Equal(info.ModTime()) && c.info.Size() == info.Size()
}

// read reads the file and remembers it. The caller holds mu.
func (s *Store) read() (State, error) {
	s.forget()
	f, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		// Without the directory the disk is not mounted, rather than the appliance new.
		if _, err := os.Stat(filepath.Dir(s.path)); err != nil {
			return State{}, fmt.Errorf("setup store: %w", err)
		}
		return Default(), nil
	}
	if err != nil {
		return State{}, fmt.Errorf("setup store: %w", err)
	}
	snap, err := take(f)
	if err != nil {
		return State{}, errors.Join(fmt.Errorf("setup store %s is damaged, restore it from a backup: %w", s.path, err), f.Close())
	}
	s.cached = snap
	return snap.state.clone(), nil
}

// take stats before it reads: a change in between makes the snapshot look old, not new.
func take(f *os.File) (*snapshot, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize))
	if err != nil {
		return nil, err
	}
	state, err := decode(data)
	if err != nil {
		return nil, err
	}
	return &snapshot{file: f, info: info, state: state}, nil
}

func (s *Store) forget() {
	if s.cached != nil {
		_ = s.cached.file.Close()
		s.cached = nil
	}
}

// Update changes the state by change and returns the new one. Updates of all processes
// run one after the other, each on what the one before left. When change or the disk
// fails, the file stays as it was. change must not call Update; Load gives it the old state.
func (s *Store) Update(change func(*State) error) (State, error) {
	s.updating.Lock()
	defer s.updating.Unlock()
	unlock, err := privatefile.Lock(s.path)
	if err != nil {
		return State{}, fmt.Errorf("setup store: %w", err)
	}
	defer unlock()
	state, err := s.reload()
	if err != nil {
		return State{}, err
	}
	if err := change(&state); err != nil {
		return State{}, err
	}
	if err := state.validate(); err != nil {
		return State{}, err
	}
	data, err := encode(state)
	if err == nil {
		err = s.replace(s.path, data, 0o600)
	}
	if err != nil {
		return State{}, fmt.Errorf("write setup store: %w", err)
	}
	return state.clone(), nil
}

// reload reads the file whatever the cache says: an edit by hand may keep size and time.
func (s *Store) reload() (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}
