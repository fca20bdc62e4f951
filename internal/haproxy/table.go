package haproxy

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// TableEntry is a line of a stick table: a key, and what is counted for it by name.
type TableEntry struct {
	Key    string
	Counts map[string]int64
}

var errNoTable = errors.New("HAProxy did not answer with a table")

// Table reads a stick table.
func (r Runtime) Table(ctx context.Context, name string) ([]TableEntry, error) {
	if err := checkWords(name); err != nil {
		return nil, err
	}
	answer, err := r.ask(ctx, "show table "+word(name))
	if err != nil {
		return nil, err
	}
	return parseTable(answer)
}

func parseTable(answer string) ([]TableEntry, error) {
	if !strings.HasPrefix(answer, "# table: ") {
		return nil, errors.Join(errNoTable, refuse("show table", answer))
	}
	var out []TableEntry
	for line := range strings.Lines(answer) {
		_, fields, ok := strings.Cut(line, ": key=")
		if !ok {
			continue
		}
		words := strings.Fields(fields)
		if len(words) == 0 {
			continue
		}
		e := TableEntry{Key: words[0], Counts: make(map[string]int64, 4)}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				e.Counts[name] = n
			}
		}
		out = append(out, e)
	}
	return out, nil
}
