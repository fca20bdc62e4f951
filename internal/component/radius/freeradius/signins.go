package freeradius

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gateway/internal/sys"
	"gateway/internal/value"
)

const (
	// LogFolder is where the daemon writes a line for each sign-in.
	LogFolder = "/var/log/gateway-radius"
	// SignInsVerb tells the last sign-ins.
	SignInsVerb = "sign-ins"

	logFile    = "signins.json"
	rotateUnit = "gateway-radius-rotate.service"
	// mostLog is how long the log may get before it begins anew; one before it is kept.
	mostLog = 8 << 20
	// mostBehind is how much of a log is read at once, and what was before is not: the log is the
	// daemon's, and this process is not to fail by what the daemon does.
	mostBehind = 4 * mostLog
	// mostLine is longer than what the daemon writes of the longest values.
	mostLine = 4096
	// mostRecent is how many sign-ins are told, and mostUsers of how many users the last one is known.
	mostRecent, mostUsers = 500, 50_000

	lookEvery = 10 * time.Second
)

// What comes of a sign-in. The daemon says why it refuses one in these words; see radiusd.conf.
const (
	Accepted      = "accepted"
	WrongMethod   = "method"
	WrongName     = "name"
	UnknownUser   = "unknown_user"
	Disabled      = "disabled"
	WrongPassword = "password"
)

// Result is one of them.
func Result(accepted bool, why string) string {
	switch {
	case accepted:
		return Accepted
	case slices.Contains([]string{WrongMethod, WrongName, UnknownUser, Disabled}, why):
		return why
	}
	return WrongPassword
}

// SignIn is what came of one.
type SignIn struct {
	At      time.Time `json:"at" doc:"When, in UTC"`
	User    string    `json:"user" doc:"Name as it was sent; what is not text is in hexadecimal" example:"ann"`
	Result  string    `json:"result" enum:"accepted,method,name,unknown_user,disabled,password" doc:"accepted, or why not: method (neither PAP nor CHAP), name (characters that no user has), unknown_user, disabled, password (wrong)"`
	Client  string    `json:"client" doc:"Name of the client that asked" example:"ap-1"`
	From    string    `json:"from" doc:"Its IP address" example:"192.0.2.10"`
	Station string    `json:"station" doc:"Calling-Station-Id: usually the MAC address of the device" example:"02-00-00-00-00-01"`
	NAS     string    `json:"nas" doc:"NAS-Identifier: how the client calls itself"`
}

// SignIns are the last ones.
type SignIns struct {
	Recent []SignIn          `json:"recent" doc:"The last 500, newest first"`
	Users  map[string]SignIn `json:"users" doc:"The last one of each user, by name"`
}

// signInLog follows the daemon's log.
type signInLog struct {
	folder string

	mu     sync.Mutex
	file   fs.FileInfo // what was read last, up to offset
	offset int64
	recent []SignIn // oldest first
	users  map[string]SignIn
}

func newSignInLog(folder string) *signInLog {
	return &signInLog{folder: folder, users: map[string]SignIn{}}
}

func (s *server) signIns(context.Context, json.RawMessage) (any, error) { return s.log.read() }

// lookAfterLog keeps the log short, and reads it before it is gone.
func (s *server) lookAfterLog(ctx context.Context, _ func()) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.shorten(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

func (s *server) shorten(ctx context.Context) error {
	if _, err := s.log.read(); err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Join(s.log.folder, logFile)); err != nil || info.Size() < mostLog {
		return nil //nolint:nilerr // there is none while nobody signed in
	}
	if err := s.units.Start(ctx, rotateUnit); err != nil {
		return fmt.Errorf("begin a new log of sign-ins: %w", err)
	}
	return nil
}

// read reads what came since, also the end of a log that was put aside.
func (l *signInLog) read() (SignIns, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := filepath.Join(l.folder, logFile)
	info, err := os.Stat(now)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return SignIns{}, fmt.Errorf("look at the log of sign-ins: %w", err)
	}
	if l.file == nil || err == nil && !os.SameFile(l.file, info) {
		if bad := l.readFile(now + ".1"); bad != nil {
			return SignIns{}, bad
		}
		if err == nil {
			l.file, l.offset = nil, 0
		}
	}
	if err := l.readFile(now); err != nil {
		return SignIns{}, err
	}
	out := SignIns{Recent: append([]SignIn{}, l.recent[max(0, len(l.recent)-mostRecent):]...), Users: maps.Clone(l.users)}
	slices.Reverse(out.Recent)
	return out, nil
}

// readFile goes on where it ended, if it is the same file.
func (l *signInLog) readFile(path string) error {
	f, err := sys.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the log of sign-ins: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read the log of sign-ins: %w", err)
	}
	if l.file == nil || !os.SameFile(l.file, info) || info.Size() < l.offset {
		l.offset = 0
	}
	l.file = info
	l.offset = max(l.offset, info.Size()-mostBehind)
	if _, err := f.Seek(l.offset, io.SeekStart); err != nil {
		return fmt.Errorf("read the log of sign-ins: %w", err)
	}
	in := bufio.NewReaderSize(io.LimitReader(f, 2*mostBehind), mostLine)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) { // a line that is not whole yet is read the next time
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("read the log of sign-ins: %w", err)
		}
		l.offset += int64(len(line))
		if err == nil {
			l.take(line)
		}
	}
}

// take keeps one sign-in. A line that is none is not ours.
func (l *signInLog) take(line []byte) {
	one, ok := refusedLine(line)
	if !ok {
		one, ok = acceptedLine(string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	if !ok {
		return
	}
	if len(l.recent) >= 2*mostRecent {
		l.recent = slices.Clone(l.recent[len(l.recent)-mostRecent+1:])
	}
	l.recent = append(l.recent, one)
	// Names that nobody has are as many as somebody wants.
	known := one.Result == Accepted || one.Result == WrongPassword || one.Result == Disabled
	if _, there := l.users[one.User]; known && (there || len(l.users) < mostUsers) {
		l.users[one.User] = one
	}
}

// refusedLine is one with hexadecimal values. Up to version 0.1.0 all were.
func refusedLine(line []byte) (SignIn, bool) {
	var in struct {
		At                                            int64
		Result, Why, User, Client, From, Station, NAS string
	}
	if json.Unmarshal(bytes.TrimSpace(line), &in) != nil {
		return SignIn{}, false
	}
	return SignIn{
		At: time.Unix(in.At, 0).UTC(), Result: Result(in.Result == "Access-Accept", in.Why), Client: in.Client, From: in.From,
		User: plainText(in.User), Station: plainText(in.Station), NAS: plainText(in.NAS),
	}, true
}

// acceptedLine is one with values between spaces; what the operator named stands as it is.
func acceptedLine(line string) (SignIn, bool) {
	f := strings.SplitN(line, " ", 6)
	if len(f) != 6 {
		return SignIn{}, false
	}
	at, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return SignIn{}, false
	}
	return SignIn{At: time.Unix(at, 0).UTC(), User: f[1], Result: Accepted, Client: f[5], From: f[2], Station: plainText(f[3]), NAS: plainText(f[4])}, true
}

// plainText is what was sent, from its hexadecimal, without what shows nothing or turns around what
// others show; what is no text stays as it is.
func plainText(in string) string {
	b, err := hex.DecodeString(in)
	if err != nil || !utf8.Valid(b) {
		return "0x" + in
	}
	return value.Visible(string(b))
}
