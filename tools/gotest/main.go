// Command gotest runs "go test" with the given flags and packages and prints one
// line per package and the output of what failed; with -stream, everything; and at
// the end a digest of the failures. With -retry a failed test runs once more,
// alone, and is unsteady if it then passes. Counts and digest are appended to the
// files that GATEWAY_TEST_COUNTS, GATEWAY_TEST_FAILURES and GATEWAY_TEST_UNSTEADY
// name.
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

	"gateway/tools/internal/testrun"
)

func main() {
	o := testrun.Options{Out: os.Stdout}
	flag.BoolVar(&o.Stream, "stream", false, "print every line as it comes")
	flag.BoolVar(&o.Retry, "retry", false, "run a failed test once more, alone")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: gotest [-stream] [-retry] -- <go test flags, written -name=value> <packages>")
		flag.PrintDefaults()
	}
	flag.Parse()
	os.Exit(run(o, flag.Args()))
}

func run(o testrun.Options, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags, pkgs := split(args)
	report, err := testrun.Go(ctx, o, flags, pkgs)
	res := report.Result()
	fmt.Printf("tests: %s\n", res)
	if err := errors.Join(err, report.Publish(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		return 2
	}
	return min(res.Failed, 1)
}

// split tells flags from packages, because a second run has the flags and other
// packages: a value apart from its flag would be lost.
func split(args []string) (flags, pkgs []string) {
	n := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if n < 0 {
		return args, nil
	}
	return args[:n], args[n:]
}
