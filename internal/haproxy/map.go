package haproxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// MapEntry is a line of a map file.
type MapEntry struct{ Key, Value string }

// MapChange gives a key a value, or removes it.
type MapChange struct {
	Key, Value string
	Remove     bool
	// New is a key that is not there, which saves asking whether it is. Were it there, it
	// would keep the value that it has.
	New bool
}

// The answers to a key that is not there: of "set map", and of "del map".
const (
	noEntry = "entry not found."
	noKey   = "Key not found."
)

// MapSet changes some entries of the map that the configuration reads from file. A key
// that has a value keeps it until it has the new one. A key may occur once.
func (r Runtime) MapSet(ctx context.Context, file string, changes []MapChange) error {
	if len(changes) == 0 {
		return nil
	}
	commands, err := mapCommands(file, changes)
	if err != nil {
		return err
	}
	out, err := r.do(ctx, commands...)
	if err != nil {
		return err
	}
	var added []MapEntry
	for i, answer := range out {
		c := changes[i]
		switch {
		case answer == noEntry && !c.Remove:
			added = append(added, MapEntry{c.Key, c.Value})
		case answer != "" && !(c.Remove && answer == noKey):
			return refuse(verb(commands[i]), answer)
		}
	}
	return r.mapAdd(ctx, "add map "+word(file), added)
}

func mapCommands(file string, changes []MapChange) ([]string, error) {
	commands := make([]string, len(changes))
	for i, c := range changes {
		if c.Remove {
			c.Value = "-"
		}
		if err := checkEntry(file, MapEntry{c.Key, c.Value}); err != nil {
			return nil, err
		}
		switch {
		case c.Remove:
			commands[i] = "del map " + word(file) + " " + word(c.Key)
		case c.New && c.Key[0] != '@': // which would be the number of a version
			commands[i] = "add map " + word(file) + " " + word(c.Key) + " " + word(c.Value)
		default:
			commands[i] = "set map " + word(file) + " " + word(c.Key) + " " + word(c.Value)
		}
	}
	return commands, nil
}

// checkEntry refuses what a map file cannot say either: HAProxy reads a key up to the first
// space there, and takes a number sign for a comment or, here, for an internal name.
func checkEntry(file string, e MapEntry) error {
	if err := checkWords(file, e.Key, e.Value); err != nil {
		return err
	}
	if strings.Contains(e.Key, " ") || e.Key[0] == '#' || strings.Trim(e.Value, " ") != e.Value {
		return fmt.Errorf("%q with %q is not a valid HAProxy map entry", e.Key, e.Value)
	}
	return nil
}

// mapAdd adds entries by as many commands as are due.
func (r Runtime) mapAdd(ctx context.Context, command string, entries []MapEntry) error {
	var lines strings.Builder
	flush := func() error {
		if lines.Len() == 0 {
			return nil
		}
		answer, err := r.load(ctx, command, lines.String())
		lines.Reset()
		if err == nil && answer != "" {
			err = refuse("add map", answer)
		}
		return err
	}
	for _, e := range entries {
		if lines.Len()+len(e.Key)+len(e.Value)+2+len(command) > maxCommand {
			if err := flush(); err != nil {
				return err
			}
		}
		lines.WriteString(e.Key + " " + e.Value + "\n")
	}
	return flush()
}

// MapReplace puts entries in the place of all that the map has, in one step: who looks
// something up finds the old ones or the new ones.
func (r Runtime) MapReplace(ctx context.Context, file string, entries []MapEntry) error {
	for _, e := range entries {
		if err := checkEntry(file, e); err != nil {
			return err
		}
	}
	answer, err := r.ask(ctx, "prepare map "+word(file))
	if err != nil {
		return err
	}
	version, found := strings.CutPrefix(answer, "New version created: ")
	if !found {
		return refuse("prepare map", answer)
	}
	target := "@" + version + " " + word(file)
	err = r.mapAdd(ctx, "add map "+target, entries)
	if err == nil {
		err = r.silent(ctx, "commit map "+target)
	}
	if err != nil {
		err = errors.Join(err, r.drop(ctx, "clear map "+target))
	}
	return err
}

// drop cleans up after a failure, also when that was the end of the context.
func (r Runtime) drop(ctx context.Context, command string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := r.ask(ctx, command)
	if errors.Is(err, ErrDown) {
		return nil
	}
	return err
}

// MapGet looks keys up the way the configuration does. A key that is not there has no value.
func (r Runtime) MapGet(ctx context.Context, file string, keys ...string) (values []string, err error) {
	commands := make([]string, len(keys))
	for i, key := range keys {
		if err := checkEntry(file, MapEntry{key, "-"}); err != nil {
			return nil, err
		}
		commands[i] = "get map " + word(file) + " " + word(key)
	}
	out, err := r.do(ctx, commands...)
	if err != nil {
		return nil, err
	}
	for _, answer := range out {
		if !strings.HasPrefix(answer, "type=") {
			return nil, refuse("get map", answer)
		}
		values = append(values, parseLookup(answer))
	}
	return values, nil
}

// parseLookup reads the answer to "get map". There is a line for each way that the
// configuration looks things up in this map. No entry of a map is empty.
func parseLookup(answer string) string {
	for line := range strings.Lines(answer) {
		_, rest, found := strings.Cut(line, `, key="`)
		_, rest, valued := strings.Cut(rest, `", value="`)
		end := strings.LastIndex(rest, `", type="`)
		if found && valued && end >= 0 && strings.Contains(line, " found=yes,") {
			return rest[:end]
		}
	}
	return ""
}

// MapAll lists a map in HAProxy's order.
func (r Runtime) MapAll(ctx context.Context, file string) ([]MapEntry, error) {
	if err := checkWords(file); err != nil {
		return nil, err
	}
	answer, err := r.ask(ctx, "show map "+word(file))
	if err != nil {
		return nil, err
	}
	return parseMap(answer)
}

// parseMap reads lines of an address in memory, a key and a value.
func parseMap(answer string) ([]MapEntry, error) {
	var entries []MapEntry
	for line := range strings.Lines(answer) {
		line = strings.TrimSuffix(line, "\n")
		_, rest, ok := strings.Cut(line, " ")
		key, value, valued := strings.Cut(rest, " ")
		if !ok || !valued || !strings.HasPrefix(line, "0x") {
			return nil, refuse("show map", line)
		}
		entries = append(entries, MapEntry{key, value})
	}
	return entries, nil
}
