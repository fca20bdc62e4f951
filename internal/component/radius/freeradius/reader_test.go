package freeradius

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The readers of this file know what FreeRADIUS's files are, and nothing of how ours are written.

// pair is an attribute with its value, in a list of users or in a configuration.
type pair struct{ Name, Op, Value string }

// entry is one user of a list.
type entry struct {
	Name   string
	Checks []pair
	Reply  []pair
}

// readUsers reads a list of users as rlm_files does: an entry begins at the start of a line, what
// belongs to it is indented.
func readUsers(text string) (all []entry, err error) {
	for n, line := range strings.Split(text, "\n") {
		blank := strings.TrimSpace(line) == ""
		switch {
		case blank || strings.HasPrefix(line, "#"):
		case line[0] == ' ' || line[0] == '\t':
			if len(all) == 0 {
				return nil, fmt.Errorf("line %d belongs to nobody", n+1)
			}
			pairs, err := readPairs(strings.TrimSuffix(strings.TrimSpace(line), ","))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			last := &all[len(all)-1]
			last.Reply = append(last.Reply, pairs...)
		default:
			i := strings.IndexAny(line, " \t")
			if i < 0 {
				return nil, fmt.Errorf("line %d has only a name", n+1)
			}
			pairs, err := readPairs(strings.TrimSpace(line[i:]))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			all = append(all, entry{Name: line[:i], Checks: pairs})
		}
	}
	return all, nil
}

// readPairs reads attributes between commas.
func readPairs(text string) (all []pair, err error) {
	for text != "" {
		f := strings.SplitN(text, " ", 3)
		if len(f) < 3 {
			return nil, errors.New("no value")
		}
		value, rest, err := readValue(f[2])
		if err != nil {
			return nil, err
		}
		all = append(all, pair{f[0], f[1], value})
		rest = strings.TrimLeft(rest, " ")
		if rest == "" || rest[0] == '#' {
			return all, nil
		}
		if rest[0] != ',' {
			return nil, fmt.Errorf("%q after a value", rest)
		}
		text = strings.TrimLeft(rest[1:], " ")
	}
	return all, nil
}

// readValue reads a value in the quotes that it begins with, or a word.
func readValue(text string) (value, rest string, err error) {
	if text == "" {
		return "", "", errors.New("no value")
	}
	if quote := text[0]; quote == '\'' || quote == '"' || quote == '`' {
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch c := text[i]; {
			case c == quote:
				if quote == '`' || quote == '"' && strings.ContainsAny(b.String(), "%$") {
					return "", "", fmt.Errorf("the value %s is a program, or is expanded", text[:i+1])
				}
				return b.String(), text[i+1:], nil
			case c == '\\' && i+1 < len(text):
				i++
				b.WriteByte(text[i])
			default:
				b.WriteByte(c)
			}
		}
		return "", "", errors.New("a quote that does not end")
	}
	i := strings.IndexAny(text, " ,\t")
	if i < 0 {
		i = len(text)
	}
	return text[:i], text[i:], nil
}

// section is a part of a configuration.
type section struct {
	Name     string
	Pairs    []pair
	Sections []section
}

// readConf reads a configuration: sections in braces, and pairs, a line each. Between double quotes
// a value has octal escapes, and is expanded where it has a bare dollar.
func readConf(text string) (section, error) {
	open := []*section{{}}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		last := open[len(open)-1]
		name, value, isPair := strings.Cut(line, " = ")
		switch {
		case line == "" || line[0] == '#':
		case line == "}":
			if len(open) == 1 {
				return section{}, fmt.Errorf("line %d closes what is not open", n+1)
			}
			open = open[:len(open)-1]
			above := open[len(open)-1]
			above.Sections = append(above.Sections, *last)
		case strings.HasSuffix(line, " {"):
			open = append(open, &section{Name: strings.TrimSuffix(line, " {")})
		case isPair:
			read, err := readSetting(value)
			if err != nil {
				return section{}, fmt.Errorf("line %d: %w", n+1, err)
			}
			last.Pairs = append(last.Pairs, pair{name, "=", read})
		default:
			return section{}, fmt.Errorf("line %d is neither a section nor a pair: %q", n+1, line)
		}
	}
	if len(open) != 1 {
		return section{}, errors.New("a section that does not end")
	}
	return *open[0], nil
}

func readSetting(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		if strings.ContainsAny(text, " #\"'`$%") {
			return "", fmt.Errorf("%q is more than a word", text)
		}
		return text, nil
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if i+1 < len(text) {
				return "", fmt.Errorf("%q after a value", text[i+1:])
			}
			return b.String(), nil
		case '$':
			return "", errors.New("a value that is expanded")
		case '\\':
			if i+3 >= len(text) {
				return "", errors.New("an escape that does not end")
			}
			code, err := strconv.ParseUint(text[i+1:i+4], 8, 8)
			if err != nil {
				return "", fmt.Errorf("the escape %q", text[i:i+4])
			}
			b.WriteByte(byte(code))
			i += 3
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quote that does not end")
}
