package pemfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// check judges the staged files as HAProxy would, and more strictly. It is done here: with
// ten thousand certificates HAProxy's own check takes seconds, and says less.
func check(ctx context.Context, dir string) error {
	list, err := os.ReadFile(filepath.Join(dir, ListPath))
	if err != nil {
		return fmt.Errorf("read the staged list: %w", err)
	}
	lines, err := parseList(list)
	if err != nil {
		return refused(err)
	}
	for _, l := range lines {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, l.path))
		if err != nil {
			return fmt.Errorf("read a staged certificate: %w", err)
		}
		if err := judge(text, l.names); err != nil {
			return refused(fmt.Errorf("the certificate for %s %w", strings.Join(l.names, ", "), err))
		}
	}
	return nil
}

func refused(why error) error {
	return fault.New(fault.Invalid, "the proxy would reject its certificates: %s", why).WithCode("certificate_refused")
}

// plain judges only what changed.
func plain(old, now daemon.Rendering) bool {
	names, err := listed(now.File(ListPath))
	if err != nil || len(old.Files) == 0 {
		return false
	}
	before := contents(old)
	for _, f := range now.Files {
		if f.Path == ListPath || bytes.Equal(before[f.Path], f.Data) {
			continue
		}
		if names[f.Path] == nil || judge(f.Data, names[f.Path]) != nil {
			return false
		}
	}
	return true
}

// line is one of the list, after the fallback.
type line struct {
	path  string
	names []string
}

func parseList(text []byte) ([]line, error) {
	rest, ok := bytes.CutPrefix(text, []byte(Fallback+"\n"))
	if !ok {
		return nil, errors.New("the list does not begin with the fallback")
	}
	var out []line
	for l := range strings.Lines(string(rest)) {
		words := strings.Fields(l)
		if len(words) < 2 || !strings.HasPrefix(words[0], folder) || strings.ContainsAny(words[0][len(folder):], "/[") {
			return nil, errors.New("the list has a line that names no certificate")
		}
		for _, n := range words[1:] {
			if parsed, err := ParseName(n); err != nil || parsed != n {
				return nil, errors.New("the list has an invalid name")
			}
		}
		if l != strings.Join(words, " ")+"\n" {
			return nil, errors.New("the list has a line with unexpected characters")
		}
		out = append(out, line{words[0], words[1:]})
	}
	return out, nil
}

// judge reads one file back: the key must be that of the certificate, the certificate one
// for the names, and nothing else in the file.
func judge(text []byte, names []string) error {
	if bytes.ContainsAny(text, "\r\x00") || bytes.Contains(text, []byte("\n\n")) {
		return fault.Say("has characters that would truncate it")
	}
	at := certLength(text)
	if at == 0 {
		return fault.Say("has no private key")
	}
	key, err := ParseKey(text[at:])
	if err != nil {
		return fmt.Errorf("has a private key that %w", err)
	}
	m, err := NewMaterial(text[:at], key)
	if err != nil {
		return err
	}
	if !bytes.Equal(m.PEM(), text) {
		return fault.Say("is not in canonical form")
	}
	if missing := Uncovered(m.Leaf, names); len(missing) > 0 {
		return fault.Say("does not cover %s", strings.Join(missing, ", "))
	}
	return nil
}

// contents are the files by path.
func contents(r daemon.Rendering) map[string][]byte {
	m := make(map[string][]byte, len(r.Files))
	for _, f := range r.Files {
		m[f.Path] = f.Data
	}
	return m
}
