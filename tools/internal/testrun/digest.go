package testrun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FailuresEnv names the file to which a run appends its digest, for the script
// that shows those of all runs at its end.
const FailuresEnv = "GATEWAY_TEST_FAILURES"

const (
	mostLines   = 5 // of each failed test
	mostLetters = 400
)

// Digest is what a reader needs of the failed tests when the rest of the output
// is gone: their names, and the first lines in which each complained.
type Digest struct{ failures []failure }

type failure struct {
	pkg, test string // no test: the package failed without one
	lines     []string
}

// Publish prints the digest and appends it to the file that FailuresEnv names.
func (d *Digest) Publish(w io.Writer) error {
	d.print(w)
	path := os.Getenv(FailuresEnv)
	if path == "" || len(d.failures) == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record failures: %w", err)
	}
	d.print(f)
	return f.Close()
}

func (d *Digest) print(w io.Writer) {
	for _, f := range d.failures {
		fmt.Fprintln(w, "failed:", strings.TrimSpace(f.pkg+" "+f.test))
		for _, l := range f.lines {
			fmt.Fprintln(w, "   ", l)
		}
	}
}

// add notes a failed test. One that failed by its subtests has said nothing itself.
func (d *Digest) add(pkg, test string, lines []string) {
	if d == nil {
		return
	}
	byPart := func(f failure) bool { return f.pkg == pkg && strings.HasPrefix(f.test, test+"/") }
	if len(lines) == 0 && slices.ContainsFunc(d.failures, byPart) {
		return
	}
	f := failure{pkg: pkg, test: test}
	for _, l := range lines[:min(len(lines), mostLines)] {
		if l = strings.TrimSpace(l); len(l) > mostLetters {
			l = strings.ToValidUTF8(l[:mostLetters], "") + "..."
		}
		f.lines = append(f.lines, l)
	}
	d.failures = append(d.failures, f)
}

var place = regexp.MustCompile(`^\s*(\w+_test\.go):([0-9]+): `)

// mayComplain is a line of a test's own, or the last words of one that died.
func mayComplain(line string) bool {
	return place.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "panic: ")
}

// complaints leaves out what a test only logged.
func complaints(pkg string, lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return isLog(pkg, l) })
}

var logCall = regexp.MustCompile(`\bLogf?\(`)

// isLog asks the source which call it was: go test prints errors and logs alike.
func isLog(pkg, line string) bool {
	m := place.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	n, err := strconv.Atoi(m[2])
	_, dir, _ := strings.Cut(pkg, "/") // from the module's name on
	src, err2 := os.ReadFile(filepath.Join(filepath.FromSlash(dir), m[1]))
	if errors.Join(err, err2) != nil {
		return false
	}
	lines := strings.Split(string(src), "\n")
	return n >= 1 && n <= len(lines) && logCall.MatchString(lines[n-1])
}
