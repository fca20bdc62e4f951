package series

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// column is the place of one series in every slot.
type column struct {
	Name string `json:"name"`
	At   int    `json:"column"`
	// Since is when it got the place: what is older belongs to another one.
	Since int64 `json:"since"`
	// Last is when it was last written, to within an hour.
	Last int64 `json:"last"`
}

const namesFile = "names.json"

// forgets is after how long a series that is no longer written gives its place to another
// one, when there is no other place.
const forgets = 24 * time.Hour

// seenEvery is how exactly it is kept when a series was last written.
const seenEvery = time.Hour

func readNames(dir string) ([]column, error) {
	data, err := os.ReadFile(filepath.Join(dir, namesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []column
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("read the names of samples: %w", err)
	}
	return slices.DeleteFunc(out, func(c column) bool { return c.At < 0 || c.At >= Columns }), nil
}

// writeNames is whole or not done: before a column is used its name is on the disk.
func writeNames(dir string, names []column) error {
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, namesFile)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("write the names of samples: %w", err)
	}
	return nil
}

// place is the column of a series; -1 when there is none for it. It reports whether the names
// have to be written.
func (s *Store) place(name string, at time.Time) (int, bool) {
	now := at.Unix()
	if i := slices.IndexFunc(s.names, func(c column) bool { return c.Name == name }); i >= 0 {
		c := &s.names[i]
		old := now-c.Last >= int64(seenEvery/time.Second)
		if old {
			c.Last = now
		}
		return c.At, old
	}
	fresh := column{Name: name, At: len(s.names), Since: now, Last: now}
	if len(s.names) < Columns {
		s.names = append(s.names, fresh)
		return fresh.At, true
	}
	oldest := 0
	for i, c := range s.names {
		if c.Last < s.names[oldest].Last {
			oldest = i
		}
	}
	if now-s.names[oldest].Last < int64(forgets/time.Second) {
		return -1, false
	}
	fresh.At = s.names[oldest].At
	s.names[oldest] = fresh
	return fresh.At, true
}
