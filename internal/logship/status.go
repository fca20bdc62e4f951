package logship

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Status is how the sender is doing, as it writes it every few seconds.
type Status struct {
	At      time.Time `json:"at"`
	Streams []Stream  `json:"streams"`
}

// Stream is one journal on its way to the receiver. Each has a connection of its own, so that many lines of the
// one do not hold up the other.
type Stream struct {
	Journal string `json:"journal"` // "system" or "access"
	// ConnectedSince is nil while there is no connection, AwaySince while lines arrive.
	ConnectedSince *time.Time `json:"connected_since"`
	AwaySince      *time.Time `json:"away_since"`
	LastSentAt     *time.Time `json:"last_sent_at"` // when a line was last sent
	SentUpTo       *time.Time `json:"sent_up_to"`   // when that line was written
	BehindSince    *time.Time `json:"behind_since"` // the time of the oldest line that waits; nil while none does
	Sent           int64      `json:"sent"`         // since the sender was started
	Error          Trouble    `json:"error"`        // why there is no connection
	// Lost is how many entries journald removed before they were sent, at most: it counts those of all units.
	Lost   int64      `json:"lost"`
	LostAt *time.Time `json:"lost_at"`
}

// Trouble is what keeps lines from arriving.
type Trouble string

// What it can be.
const (
	NoTrouble    Trouble = ""
	Unconfigured Trouble = "unconfigured"
	NotResolved  Trouble = "not_resolved"
	LocalAddress Trouble = "local_address"
	NotReached   Trouble = "not_reached"
	NotTrusted   Trouble = "not_trusted"
	NoTLS        Trouble = "no_tls"
	Closed       Trouble = "closed"
	Stalled      Trouble = "stalled"
	NoJournal    Trouble = "no_journal"
)

// Troubles are all of them but none.
func Troubles() []Trouble {
	return []Trouble{Unconfigured, NotResolved, LocalAddress, NotReached, NotTrusted, NoTLS, Closed, Stalled, NoJournal}
}

// Fresh is how old a status may be: it is written every second or two.
const Fresh = 30 * time.Second

// ReadStatus reads the file. There is none where the sender does not run.
func ReadStatus(path string) (s Status, found bool, err error) {
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return Status{}, false, fmt.Errorf("read how the log shipper is doing: %w", err)
	}
	return s, true, nil
}

// maxStatus is far more than one has.
const maxStatus = 64 << 10

// readBounded reads a plain file. The folder is another account's: a link or a pipe in it must neither lead elsewhere nor hold whoever reads.
func readBounded(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no plain file")
	}
	return io.ReadAll(io.LimitReader(f, maxStatus))
}

// WriteFile replaces a file at once: whoever reads it, also after a crash, has the old one or the new one.
func WriteFile(path string, v any, mode fs.FileMode, durable bool) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
