// Command bars runs the tests that measure what the product promises and prints
// their BAR lines in order. It fails when a test fails or a figure is short. With
// -write it also records the figures, with date, commit and machine, in a
// Markdown page. How a test reports a figure is package bar.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"gateway/tools/bar"
	"gateway/tools/internal/testrun"
)

type options struct {
	area    string
	torture bool
	write   string
}

func main() {
	var o options
	flag.StringVar(&o.area, "area", "", "measure this area only, for example foundation")
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
	pkgs, err := packages([]string{"internal", "lab/e2e"}, testPrefix(o.area))
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
	result  testrun.Result
}

func measure(ctx context.Context, o options, pkgs []string) (measured, error) {
	var m measured
	if len(pkgs) == 0 {
		return m, nil
	}
	timeout := "15m"
	if o.torture {
		timeout = "6h"
		if err := os.Setenv(bar.TortureEnv, "1"); err != nil {
			return m, fmt.Errorf("ask for the long sizes: %w", err)
		}
	}
	// One package at a time: two that measure at once would measure each other.
	args := []string{"-count=1", "-p=1", "-timeout=" + timeout, "-run=^" + testPrefix(o.area)}
	var err error
	m.result, err = testrun.Go(ctx, testrun.Options{Out: os.Stdout, OnOutput: m.output, OnEnd: m.end}, append(args, pkgs...)...)
	slices.SortStableFunc(m.figures, func(a, b figure) int { return bar.Compare(a.Line, b.Line) })
	return m, err
}

func (m *measured) output(_, test, line string) {
	if l, err := bar.Parse(line); err == nil {
		m.figures = append(m.figures, figure{l, test})
	}
}

func (m *measured) end(pkg, test, action string) {
	if action == "skip" {
		m.skipped = append(m.skipped, pkg+" "+test)
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
