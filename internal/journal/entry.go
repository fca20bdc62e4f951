package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gateway/internal/value"
)

// Level is how bad an entry is, in the four steps that operators filter by.
type Level string

// The levels, the worst last.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// priorities are syslog's, up to which an entry has at least that level.
var priorities = map[Level]string{Info: "6", Warn: "4", Error: "3"}

const (
	// maxMessage and maxName are how much is kept of a message, and of what a program calls itself.
	maxMessage = 8 << 10
	maxName    = 64
	// tooLong stands for a field that journalctl leaves out: a page of them would fill our memory.
	tooLong = "(longer than 4 KiB; journalctl --all shows it)"
)

// Entry is one entry of the journal.
type Entry struct {
	Cursor     string
	Namespace  string // the journal it was read from, as in the query
	At         time.Time
	Unit       string // of the one it is about: systemd writes of others
	Level      Level
	Severity   int    // syslog's, 0 for the worst to 7
	Facility   int    // syslog's; that of daemons where the writer named none
	Identifier string // what the program calls itself
	PID        int
	Message    string
}

// parse reads an entry as journalctl prints it. A line that is none is left out: its
// complaints go to stderr.
func parse(line []byte) (Entry, bool) {
	var raw struct {
		Cursor     string `json:"__CURSOR"`
		At         string `json:"__REALTIME_TIMESTAMP"`
		Message    text   `json:"MESSAGE"`
		Priority   text   `json:"PRIORITY"`
		Facility   text   `json:"SYSLOG_FACILITY"`
		Identifier text   `json:"SYSLOG_IDENTIFIER"`
		PID        text   `json:"_PID"`
		Unit       text   `json:"_SYSTEMD_UNIT"`
		About      text   `json:"UNIT"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return Entry{}, false
	}
	micros, err := strconv.ParseInt(raw.At, 10, 64)
	if err != nil {
		return Entry{}, false
	}
	pid, _ := strconv.Atoi(string(raw.PID)) // 0 where there is none
	unit := raw.Unit
	if pid == 1 { // anybody may say that he writes of another one; systemd does
		unit = cmp.Or(raw.About, raw.Unit)
	}
	return Entry{
		Cursor: raw.Cursor, At: time.UnixMicro(micros).UTC(), Unit: string(unit),
		Level: level(string(raw.Priority)), Severity: upTo(string(raw.Priority), 7, 6), Facility: upTo(string(raw.Facility), 23, 3), Identifier: shown(string(raw.Identifier), maxName), PID: pid, Message: shown(string(raw.Message), maxMessage),
	}, true
}

// upTo is a number from 0 to most, and otherwise where there is none.
func upTo(s string, most, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= most {
		return n
	}
	return otherwise
}

func level(priority string) Level {
	switch priority {
	case "0", "1", "2", "3":
		return Error
	case "4":
		return Warn
	case "7":
		return Debug
	}
	return Info
}

// shown is the message as it may stand on a page or a terminal: without control characters,
// and not longer than somebody reads.
func shown(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if value.Unprintable(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, s)
}

// text is a field of the journal: a string, the bytes of one that is not text, or several of
// either, of which the first counts.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	// Nearly all of them: a page has a thousand.
	if n := len(data); n >= 2 && data[0] == '"' && bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) {
		*t = text(data[1 : n-1])
		return nil
	}
	var s *string
	if json.Unmarshal(data, &s) == nil {
		if *t = tooLong; s != nil {
			*t = text(*s)
		}
		return nil
	}
	var raw []byte
	if json.Unmarshal(data, &raw) == nil {
		*t = text(raw)
		return nil
	}
	var several []text
	if err := json.Unmarshal(data, &several); err != nil || len(several) == 0 {
		return err
	}
	*t = several[0]
	return nil
}
