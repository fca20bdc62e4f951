package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/tools/bar"
)

// row is one line of the page's table. Each carries its own day, commit and
// machine: measuring one area leaves the figures of the others as they were.
type row struct {
	figure
	day, commit, machine string
}

const head = `# Measured

Written by ` + "`make measured`" + `; do not edit. Each row is a test that anybody with the checkout can run:
` + "`make bars AREA=<area>`" + ` runs the tests of one area, ` + "`make torture AREA=<area>`" + ` the same tests with
sizes that take hours. *Short* means the target was missed, and is shown like the rest.

`

const (
	columns = "| bar | figure | target | verdict | test | day | commit | machine |\n|---|---|---|---|---|---|---|---|\n"
	nothing = "Nothing has been measured yet.\n"
)

func record(ctx context.Context, path string, figures []figure) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the page: %w", err)
	}
	commit, machine := commit(ctx), machine()
	rows := parseRows(string(old))
	for _, f := range figures {
		rows = put(rows, row{f, time.Now().UTC().Format(time.DateOnly), commit, machine})
	}
	if err := os.WriteFile(path, page(rows), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func put(rows []row, r row) []row {
	i := slices.IndexFunc(rows, func(o row) bool { return o.Area == r.Area && o.Row == r.Row })
	if i < 0 {
		return append(rows, r)
	}
	rows[i] = r
	return rows
}

func page(rows []row) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	if len(rows) == 0 {
		b.WriteString(nothing)
		return b.Bytes()
	}
	b.WriteString(columns)
	slices.SortFunc(rows, func(a, b row) int { return bar.Compare(a.Line, b.Line) })
	for _, r := range rows {
		cells := []string{
			fmt.Sprintf("%s.%d", r.Area, r.Row), r.Figure, r.Target, r.Verdict(),
			r.test, r.day, r.commit, r.machine,
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.Bytes()
}

var cellEdge = regexp.MustCompile(`(^| )\|( |$)`)

// parseRows reads what page wrote; lines that are not figures are passed over.
func parseRows(s string) []row {
	var rows []row
	for line := range strings.Lines(s) {
		c := cellEdge.Split(strings.TrimSpace(line), -1)
		if len(c) != 10 {
			continue
		}
		area, number, _ := strings.Cut(c[1], ".")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		for i := range c {
			c[i] = strings.ReplaceAll(c[i], `\|`, "|")
		}
		l := bar.Line{Area: area, Row: n, Figure: c[2], Target: c[3], OK: c[4] == "ok"}
		rows = append(rows, row{figure{l, c[5]}, c[6], c[7], c[8]})
	}
	return rows
}

func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
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
