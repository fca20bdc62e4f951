package restore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
	"unicode"

	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// The files by which the API and the job know of each other, below the state folder: they work while there is no database.
const (
	StateFile  = "restore.json"
	AnswerFile = "restore.answer"
)

// RequestPath is what was asked for, for the unit that is started with the id alone.
func RequestPath(id string) string { return filepath.Join("backups", id+".request") }

type answered struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
}

func parseAnswer(data []byte, id string) (Answer, error) {
	var a answered
	if err := json.Unmarshal(data, &a); err != nil {
		return NoAnswer, fmt.Errorf("read the answer: %w", err)
	}
	if a.ID != id || a.Answer != Confirm && a.Answer != Undo {
		return NoAnswer, nil
	}
	return a.Answer, nil
}

// WriteAnswer says to the restore that waits whether it stays.
func WriteAnswer(dir string, a Answer) (State, error) {
	s, err := ReadState(dir)
	if err != nil {
		return s, err
	}
	if s.ConfirmUntil == nil {
		return s, fault.New(fault.Conflict, "no restore waits for a confirmation").WithCode("no_restore")
	}
	data, err := json.Marshal(answered{s.Backup, a})
	if err != nil {
		return s, err
	}
	return s, privatefile.Replace(filepath.Join(dir, AnswerFile), data, 0o600)
}

// ReadState is the restore under way, or the last one.
func ReadState(dir string) (State, error) {
	none := State{Steps: []Step{}}
	data, err := privatefile.Read(filepath.Join(dir, StateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	return parseState(data)
}

// LookAt is ReadState for root, who does not trust the folder's owner.
func LookAt(root *os.Root) (State, error) {
	data, err := ReadNote(root, StateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return State{Steps: []Step{}}, nil
	}
	if err != nil {
		return State{Steps: []Step{}}, fmt.Errorf("read the state of the restore: %w", err)
	}
	return parseState(data)
}

// parseState takes no id but that of a backup: a unit is started by it.
func parseState(data []byte) (State, error) {
	var s State
	err := json.Unmarshal(data, &s)
	if err == nil && s.Backup != "" && !idForm.MatchString(s.Backup) {
		err = errNoID()
	}
	if err != nil {
		return State{Steps: []Step{}}, fmt.Errorf("read the state of the restore: %w", err)
	}
	return s, nil
}

func errNoID() error { return fault.New(fault.Invalid, "the id of the archive must be a UUID") }

func writeState(dir string, s State) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return privatefile.Replace(filepath.Join(dir, StateFile), data, 0o600)
}

// asked is the content of a request.
type asked struct {
	Options
	Actor string `json:"actor"`
}

// WriteRequest leaves what was asked for where the unit reads it.
func WriteRequest(dir, id, actor string, o Options) error {
	if o.ConfirmWithin == 0 {
		o.ConfirmWithin = defaultWithin
	}
	if _, err := newPlan(id, asked{o, actor}); err != nil {
		return err
	}
	data, err := json.Marshal(asked{o, actor})
	if err != nil {
		return err
	}
	return privatefile.Replace(filepath.Join(dir, RequestPath(id)), data, 0o600)
}

const (
	minWithin     = 120
	defaultWithin = 600
	maxWithin     = 3600
	maxLinks      = 256
)

var (
	idForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	linkForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,15}$`)
)

// ParseRequest validates what the API wrote: the unit has more rights than the API.
func ParseRequest(id string, data []byte) (Plan, error) {
	var a asked
	if err := json.Unmarshal(data, &a); err != nil {
		return Plan{}, fmt.Errorf("read the request: %w", err)
	}
	return newPlan(id, a)
}

func newPlan(id string, a asked) (Plan, error) {
	var p fault.Problems
	if !idForm.MatchString(id) {
		p.Add("id", "must be a UUID")
	}
	if a.ConfirmWithin < minWithin || a.ConfirmWithin > maxWithin {
		p.Add("confirm_within", "must be between %d and %d seconds", minWithin, maxWithin)
	}
	if len(a.Links) > maxLinks {
		p.Add("links", "must be at most %d", maxLinks)
	}
	taken := map[string]bool{}
	for from, to := range a.Links {
		if !linkForm.MatchString(from) || !linkForm.MatchString(to) {
			p.Add("links", "must be names of network interfaces")
		}
		if taken[to] {
			p.Add("links", "must map each network interface once")
		}
		taken[to] = true
	}
	if len(a.Actor) > 300 || !printable(a.Actor) {
		p.Add("actor", "must be a line of text")
	}
	if err := p.Err(); err != nil {
		return Plan{}, err
	}
	return Plan{ID: id, Actor: a.Actor, Within: a.ConfirmWithin, Links: a.Links}, nil
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// Begun is the state of a restore that was just asked for.
func Begun(id string, now time.Time) State {
	e := Entry{Plan: Plan{ID: id}, Phase: loading, Started: now.UTC()}
	return e.state(Clock{Now: func() time.Time { return now }, Uptime: func() time.Duration { return 0 }})
}

// NotBegun is the state of a restore whose request was refused.
func NotBegun(id string, now time.Time, why error) State {
	s := Begun(id, now)
	reason, end := fault.SentenceOf(why), now.UTC()
	s.Error, s.Result, s.Finished = &reason, Refused, &end
	return s
}
