// Command bars runs the tests that measure what the product promises and prints
// their BAR lines in order. It fails when a test fails or a figure is short. With
// -write it also records the figures, with date, commit and machine, in a
// Markdown page. How a test reports a figure is package bar.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"gateway/tools/bar"
	"gateway/tools/internal/testrun"
)

type options struct {
	area    string
	skip    string
	torture bool
	write   string
}

func main() {
	var o options
	flag.StringVar(&o.area, "area", "", "measure this area only, for example foundation")
	flag.StringVar(&o.skip, "skip", "", "leave tests out whose names match, for example Proxy0[23]")
	flag.BoolVar(&o.torture, "torture", false, "run the long sizes (sets "+bar.TortureEnv+"=1)")
	flag.StringVar(&o.write, "write", "", "record the figures in this Markdown page")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bars:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (bool, error) {
	pkgs, err := packages([]string{"internal", "lab/bench", "lab/e2e"}, testPrefix(o.area))
	if err != nil {
		return false, err
	}
	if o.area != "" && len(pkgs) == 0 {
		return false, fmt.Errorf("no test is named %s", testPrefix(o.area)+"*")
	}
	m, err := measure(ctx, o, pkgs)
	if err != nil {
		return false, err
	}
	m.print()
	if o.write != "" {
		err = record(ctx, o.write, m.figures)
	}
	return m.ok(), err
}

// figure is a BAR line and the test that printed it.
type figure struct {
	bar.Line
	test string
}

type measured struct {
	figures []figure
	skipped []string
	failed  []string // names of tests
	result  testrun.Result
}

// measure runs the bars. What failed is measured once more, alone: on a shared
// machine one bad second makes a figure short, and a real shortfall stays.
func measure(ctx context.Context, o options, pkgs []string) (measured, error) {
	if len(pkgs) == 0 {
		return measured{}, nil
	}
	if o.torture {
		if err := os.Setenv(bar.TortureEnv, "1"); err != nil {
			return measured{}, fmt.Errorf("ask for the long sizes: %w", err)
		}
	}
	m, err := once(ctx, o, pkgs, "^"+testPrefix(o.area))
	if err != nil || len(m.failed) == 0 || o.torture {
		return m, err
	}
	fmt.Println("measured again:", strings.Join(m.failed, ", "))
	again, err := once(ctx, o, pkgs, "^("+strings.Join(m.failed, "|")+")$")
	return m.corrected(again), errors.Join(err, m.result.Withdraw())
}

func once(ctx context.Context, o options, pkgs []string, pattern string) (measured, error) {
	var m measured
	timeout := "25m"
	if o.torture {
		timeout = "6h"
	}
	// One package at a time: two that measure at once would measure each other.
	args := []string{"-count=1", "-p=1", "-timeout=" + timeout, "-run=" + pattern}
	if o.skip != "" {
		args = append(args, "-skip="+o.skip)
	}
	var err error
	m.result, err = testrun.Go(ctx, testrun.Options{Out: os.Stdout, OnOutput: m.output, OnEnd: m.end}, append(args, pkgs...)...)
	slices.SortStableFunc(m.figures, func(a, b figure) int { return bar.Compare(a.Line, b.Line) })
	return m, err
}

// corrected has the second figure of every test that was measured again.
func (m *measured) corrected(again measured) measured {
	out := measured{skipped: m.skipped, failed: again.failed, figures: again.figures}
	out.result = testrun.Result{Passed: m.result.Passed + again.result.Passed, Failed: again.result.Failed, Skipped: m.result.Skipped}
	for _, f := range m.figures {
		if !slices.Contains(m.failed, f.test) {
			out.figures = append(out.figures, f)
		}
	}
	slices.SortStableFunc(out.figures, func(a, b figure) int { return bar.Compare(a.Line, b.Line) })
	return out
}

func (m *measured) output(_, test, line string) {
	if l, err := bar.Parse(line); err == nil {
		m.figures = append(m.figures, figure{l, test})
	}
}

func (m *measured) end(pkg, test, action string) {
	switch {
	case action == "skip":
		m.skipped = append(m.skipped, pkg+" "+test)
	case action == "fail" && !strings.Contains(test, "/"):
		m.failed = append(m.failed, test)
	}
}

func (m *measured) ok() bool {
	short := slices.ContainsFunc(m.figures, func(f figure) bool { return !f.OK })
	return m.result.Failed == 0 && !short
}

func (m *measured) print() {
	for _, s := range m.skipped {
		fmt.Println("not measured:", s)
	}
	for _, f := range m.figures {
		fmt.Println(f.Line)
	}
	fmt.Printf("bars: %d reported, tests: %s\n", len(m.figures), m.result)
}
