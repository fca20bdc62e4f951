// Command bars runs the tests that measure what the product promises and prints
// their BAR lines in order. It fails when a test fails or a figure is short; with
// -gate, figures that are only late are listed and do not count. With -write it
// also records the figures, with date, commit and machine, in a Markdown page. How
// a test reports a figure is package bar.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
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
}

func main() {
	var o options
	flag.StringVar(&o.area, "area", "", "measure this area only, for example foundation")
	flag.StringVar(&o.skip, "skip", "", "leave tests out whose names match, for example Proxy0[23]")
	flag.BoolVar(&o.torture, "torture", false, "run the long sizes (sets "+bar.TortureEnv+"=1)")
	flag.BoolVar(&o.gate, "gate", false, "leave figures that are only late to a quiet machine (sets "+bar.GateEnv+"=1)")
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
	m.print(os.Stdout, o.gate) // what there is of a run that was stopped, too
	err = errors.Join(err, m.digest.Publish(os.Stdout))
	if o.write != "" && err == nil {
		err = record(ctx, o.write, m.figures)
	}
	return m.ok(o.gate), err
}

// measure runs the bars. What failed or was late is measured once more, alone: on a
// shared machine one bad second makes a figure short, and a real shortfall stays.
func measure(ctx context.Context, o options, pkgs []string) (measured, error) {
	if len(pkgs) == 0 {
		return measured{}, nil
	}
	if err := o.setenv(); err != nil {
		return measured{}, err
	}
	m, err := once(ctx, o, pkgs, "^"+testPrefix(o.area))
	names := m.again()
	if err != nil || len(names) == 0 || o.torture {
		return m, err
	}
	fmt.Println("measured again:", strings.Join(names, ", "))
	again, err := once(ctx, o, pkgs, "^("+strings.Join(names, "|")+")$")
	return m.corrected(again), errors.Join(err, m.replaced().Withdraw())
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

func once(ctx context.Context, o options, pkgs []string, pattern string) (measured, error) {
	var m measured
	timeout := "40m" // a busy machine needs twice as long as a quiet one
	if o.torture {
		timeout = "6h"
	}
	// One package at a time: two that measure at once would measure each other.
	args := []string{"-count=1", "-p=1", "-timeout=" + timeout, "-run=" + pattern}
	if o.skip != "" {
		args = append(args, "-skip="+o.skip)
	}
	var err error
	m.result, err = testrun.Go(ctx, testrun.Options{Out: os.Stdout, Digest: &m.digest, OnOutput: m.output, OnEnd: m.end}, append(args, pkgs...)...)
	m.sort()
	return m, err
}
