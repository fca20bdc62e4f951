package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/tools/bar"
)

// row is one line of the page's table. Each carries its own size, day, commit and
// machine: measuring one area leaves the figures of the others as they were, and
// the long sizes have rows of their own.
type row struct {
	figure
	size, day, commit, machine string
}

const (
	sizeGate    = "gate"
	sizeCI      = "ci"
	sizeTorture = "torture"
)

const head = `# Measured

Written by ` + "`make measured`" + ` and ` + "`make torture`" + `; do not edit. Each row is a test that anybody with the
checkout can run: ` + "`make bars AREA=<area>`" + ` runs the tests of one area (size *ci*), ` + "`make torture AREA=<area>`" + `
the same tests with sizes that take hours (size *torture*). ` + "`make bars AREA=<area> GATE=1`" + ` runs the smallest sizes at which
a row still shows what it says (size *gate*): they stand here only while no larger one was measured. *Short* means the
target was missed, and is shown like the rest. A test that fails is run once more; the figure that failed stands beside the
second one as *first*. Where the test is no name of a test (*lines*, *steady* …), the row was not written by the run that measured it, but
from a file of that name with the lines that it printed (` + "`go run ./tools/bars -lines <file> -write docs/measured.md`" + `); *steady* is
what ` + "`make steady`" + ` printed. The commit is the tree that was measured: nothing is written while a file other than
this page differs from it (*-dirty*: written before that was so).

`

const (
	columns = "| bar | size | figure | target | verdict | test | day | commit | machine |\n|---|---|---|---|---|---|---|---|---|\n"
	nothing = "Nothing has been measured yet.\n"
)

func record(path, size, commit string, figures []figure) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the page: %w", err)
	}
	rows, err := parseRows(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	day, machine := time.Now().UTC().Format(time.DateOnly), machine()
	var measured []row
	for _, f := range figures {
		f.Line, f.first = f.both(), ""
		measured = append(measured, row{f, size, day, commit, machine})
	}
	rows = put(rows, measured)
	if err := os.WriteFile(path, page(rows), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// put replaces the old lines of each bar and size that was measured. A bar may have several
// tests, each with a line.
func put(rows, measured []row) []row {
	again := func(old row) bool {
		return slices.ContainsFunc(measured, func(r row) bool { return bar.Compare(old.Line, r.Line) == 0 && old.size == r.size })
	}
	return append(slices.DeleteFunc(rows, again), measured...)
}

func page(rows []row) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	if len(rows) == 0 {
		b.WriteString(nothing)
		return b.Bytes()
	}
	b.WriteString(columns)
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(bar.Compare(a.Line, b.Line), cmp.Compare(a.size, b.size), cmp.Compare(a.test, b.test))
	})
	for _, r := range rows {
		cells := []string{
			r.name(), r.size, r.Figure, r.Target, r.Verdict(),
			r.test, r.day, r.commit, r.machine,
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.Bytes()
}

var (
	cellEdge = regexp.MustCompile(`(^| )\|( |$)`)
	rowStart = regexp.MustCompile(`^\| ([a-z][a-z0-9-]*)\.([0-9]{1,4}) \|`)
)

// parseRows reads what page wrote. A row that it cannot read is an error: writing
// the page again would lose it.
func parseRows(s string) ([]row, error) {
	var rows []row
	for line := range strings.Lines(s) {
		m := rowStart.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		r, ok := parseRow(cellEdge.Split(strings.TrimSpace(line), -1))
		n, err := strconv.Atoi(m[2])
		if !ok || err != nil {
			return nil, fmt.Errorf("not a row as this command writes it: %s", strings.TrimSpace(line))
		}
		r.Area, r.Row = m[1], n
		rows = append(rows, r)
	}
	return rows, nil
}

// parseRow reads the cells of a row; the first and the last are empty.
func parseRow(c []string) (row, bool) {
	if len(c) == 10 { // written before rows had a size
		c = slices.Insert(c, 2, sizeCI)
	}
	if len(c) != 11 {
		return row{}, false
	}
	for i := range c {
		c[i] = strings.ReplaceAll(c[i], `\|`, "|")
	}
	l := bar.Line{Figure: c[3], Target: c[4], OK: c[5] == "ok"}
	return row{figure{Line: l, test: c[6]}, c[2], c[7], c[8], c[9]}, true
}

// commit is the one that is measured: that of the tree, if nothing differs from it but the page.
// Outside of a repository, as in an export, nobody knows.
func commit(ctx context.Context, path string) (string, error) {
	top, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return "unknown", nil //nolint:nilerr // there is no repository, or no git
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder) // as git does
	}
	if err != nil {
		return "", fmt.Errorf("find the folder of %s: %w", path, err)
	}
	page := filepath.Join(folder, filepath.Base(path))
	status, err := git(ctx, "status", "--porcelain", "--untracked-files=all", "-z")
	if err != nil {
		return "", err
	}
	var differ []string
	for entry := range strings.SplitSeq(strings.Trim(status, "\x00"), "\x00") {
		if len(entry) > 3 && filepath.Join(top, entry[3:]) != page {
			differ = append(differ, entry[3:])
		}
	}
	if len(differ) > 0 {
		return "", fmt.Errorf("the tree is not what any commit has (%s): commit first, so that the row names what was measured", strings.Join(differ, ", "))
	}
	return git(ctx, "rev-parse", "--short", "HEAD")
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil // a status may begin with a space
}

var memTotal = regexp.MustCompile(`MemTotal:\s+([0-9]+) kB`)

func machine() string {
	cores := fmt.Sprintf("%d cores", runtime.NumCPU())
	info, err := os.ReadFile("/proc/meminfo")
	m := memTotal.FindSubmatch(info)
	if err != nil || m == nil {
		return cores
	}
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		return cores
	}
	return fmt.Sprintf("%s, %d GiB", cores, (kib+1<<19)>>20)
}
