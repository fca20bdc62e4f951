package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// claims maps a statement to the places that say they show it.
type claims map[string][]place

// place is where a claim stands, and of what kind it is.
type place struct {
	at      string // file:line
	standIn bool   // shown by something in the part's stead that does not exist yet
	starred bool   // shown as docs/departures.md has it, which contradicts the words
}

var (
	claim    = regexp.MustCompile(`//\s*shows\s+(\(stand-in\)\s+)?([A-Z]+-[0-9].*)$`)
	nextLine = regexp.MustCompile(`^\s*//(\s*)([A-Z]+-[0-9].*)$`)
	firstID  = regexp.MustCompile(`^\s*(?:,|and\s)?\s*([A-Z]+-[0-9]+)\b(\*?)`)
	// Folders that are not ours, and this command, whose tests talk about claims.
	passOver = []string{".git", ".cache", "dist", "node_modules", "vendor", "tools/conformance"}
)

func findClaims(root fs.FS) (claims, error) {
	found := claims{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(passOver, d.Name()) || slices.Contains(passOver, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !isTest(name) {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err == nil {
			found.read(name, string(src))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for claims: %w", err)
	}
	return found, nil
}

// isTest holds for Go tests, and for scripts that are named or placed as tests.
func isTest(name string) bool {
	if strings.HasSuffix(name, "_test.go") {
		return true
	}
	switch path.Ext(name) {
	case ".ts", ".tsx", ".mjs":
	default:
		return false
	}
	base := path.Base(name)
	if strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool {
		return slices.Contains([]string{"e2e", "lab", "test", "tests"}, dir)
	})
}

// read collects the claims of one file. A list that ends with a comma goes on in
// the next comment line.
func (c claims) read(name, src string) {
	more, standIn := false, false
	for i, line := range strings.Split(src, "\n") {
		m := claim.FindStringSubmatch(line)
		if m != nil {
			standIn = m[1] != ""
		} else if more {
			m = nextLine.FindStringSubmatch(line)
		}
		more = false
		if m == nil {
			continue
		}
		ids, rest := splitIDs(m[2])
		for _, id := range ids {
			bare, starred := strings.CutSuffix(id, "*")
			c[bare] = append(c[bare], place{fmt.Sprintf("%s:%d", name, i+1), standIn, starred})
		}
		more = strings.TrimSpace(rest) == ","
	}
}

// splitIDs takes the leading ids, separated by commas, spaces or "and", each with its
// asterisk if it has one, and leaves the rest, which may be a sentence.
func splitIDs(s string) (ids []string, rest string) {
	for {
		m := firstID.FindStringSubmatchIndex(s)
		if m == nil {
			return ids, s
		}
		ids = append(ids, s[m[2]:m[3]]+s[m[4]:m[5]])
		s = s[m[1]:]
	}
}

// shown holds for a statement that a test shows of the part itself.
func (c claims) shown(id string) bool {
	return slices.ContainsFunc(c[id], func(p place) bool { return !p.standIn })
}

// stoodIn holds for a statement that only stand-ins show.
func (c claims) stoodIn(id string) bool { return len(c[id]) > 0 && !c.shown(id) }

func (p place) String() string {
	if p.standIn {
		return p.at + " (stand-in)"
	}
	return p.at
}
