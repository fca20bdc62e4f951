// Command bars runs the tests that measure what the product promises and prints
// their BAR lines in order. It fails when a test fails or a figure is short; with
// -gate, figures that are only late are listed and do not count. A test that fails
// is run once more, alone, and both its figures are kept. With -write it also records
// the figures, with size, day, commit and machine, in a Markdown page, and refuses to in
// a tree that no commit has. How a test reports a figure is package bar.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"gateway/tools/bar"
	"gateway/tools/internal/testrun"
)

type options struct {
	area    string
	skip    string
	torture bool
	gate    bool
	write   string
	lines   string
}

func main() {
	var o options
	flag.StringVar(&o.area, "area", "", "measure this area only, for example foundation")
	flag.StringVar(&o.skip, "skip", "", "leave tests out whose names match, for example Proxy0[23]")
	flag.BoolVar(&o.torture, "torture", false, "run the long sizes (sets "+bar.TortureEnv+"=1)")
	flag.BoolVar(&o.gate, "gate", false, "leave figures that are only late to a quiet machine (sets "+bar.GateEnv+"=1)")
	flag.StringVar(&o.write, "write", "", "record the figures in this Markdown page")
	flag.StringVar(&o.lines, "lines", "", "measure nothing: record the BAR lines of this file, as \"make steady\" prints one; with -gate or -torture, of that size")
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
	if o.lines != "" {
		return recordLines(ctx, o)
	}
	if o.gate && o.write != "" {
		return false, errors.New("the gate is a shared machine, so its figures are not recorded")
	}
	var began string
	if o.write != "" { // before hours of measuring
		var err error
		if began, err = commit(ctx, o.write); err != nil {
			return false, err
		}
	}
	pkgs, err := packages([]string{"cmd", "internal", "lab/bench", "lab/e2e", "packaging", "tools/bars", "tools/house"}, testPrefix(o.area))
	if err != nil {
		return false, err
	}
	if o.area != "" && len(pkgs) == 0 {
		if o.gate { // the gate names areas before their first bar is merged
			fmt.Printf("no test is named %s*: nothing to measure\n", testPrefix(o.area))
			return true, nil
		}
		return false, fmt.Errorf("no test is named %s", testPrefix(o.area)+"*")
	}
	m, err := measure(ctx, o, pkgs)
	m.print(os.Stdout, o.gate) // what there is of a run that was stopped, too
	err = errors.Join(err, m.report.Publish(os.Stdout))
	if o.write != "" {
		// Hours of measuring are not lost because the last row was stopped: what was printed can be recorded with -lines.
		err = errors.Join(err, write(context.WithoutCancel(ctx), o, began, m.figures))
	}
	return m.ok(o.gate), err
}

func (o options) size() string {
	switch {
	case o.torture:
		return sizeTorture
	case o.gate:
		return sizeGate
	}
	return sizeCI
}

// write records figures of the tree that was there when measuring began, if it still is.
func write(ctx context.Context, o options, began string, figures []figure) error {
	now, err := commit(ctx, o.write)
	if err != nil {
		return err
	}
	if now != began {
		return fmt.Errorf("measuring began at %s, and the tree is %s now", began, now)
	}
	return record(o.write, o.size(), now, figures)
}

// recordLines records figures that were not measured by tests.
func recordLines(ctx context.Context, o options) (bool, error) {
	src, err := os.ReadFile(o.lines)
	if err != nil {
		return false, fmt.Errorf("read the figures: %w", err)
	}
	var m measured
	now, err := commit(ctx, o.write)
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(src)) {
		m.recorded(filepath.Base(o.lines), strings.TrimSpace(line))
	}
	return true, record(o.write, o.size(), now, m.figures)
}

// measure runs the bars. What failed is measured once more, alone: on a shared
// machine one bad second makes a figure short, and a real shortfall stays.
func measure(ctx context.Context, o options, pkgs []string) (*measured, error) {
	m := &measured{report: &testrun.Report{}}
	if len(pkgs) == 0 {
		return m, nil
	}
	if err := o.setenv(); err != nil {
		return m, err
	}
	var err error
	m.report, err = testrun.Go(ctx, testrun.Options{
		Out: os.Stdout, Retry: !o.torture, OnOutput: m.output, OnEnd: m.end,
	}, o.flags(), pkgs)
	m.sort()
	return m, err
}

// setenv tells the tests which sizes are wanted and who decides.
func (o options) setenv() error {
	for name, wanted := range map[string]bool{bar.TortureEnv: o.torture, bar.GateEnv: o.gate} {
		if !wanted {
			continue
		}
		if err := os.Setenv(name, "1"); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

func (o options) flags() []string {
	timeout := "40m" // a busy machine needs twice as long as a quiet one
	if o.torture {
		timeout = "6h"
	}
	// One package at a time: two that measure at once would measure each other. Without vet: "make lint" has it.
	flags := []string{"-count=1", "-vet=off", "-p=1", "-timeout=" + timeout, "-run=^" + testPrefix(o.area)}
	if o.skip != "" {
		flags = append(flags, "-skip="+o.skip)
	}
	return flags
}
