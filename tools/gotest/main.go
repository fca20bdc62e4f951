// Command gotest runs "go test" with the given arguments and prints one line per
// package and the output of what failed; with -stream, everything; and at the end
// a digest of the failures. Counts and digest are appended to the files that
// GATEWAY_TEST_COUNTS and GATEWAY_TEST_FAILURES name.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway/tools/internal/testrun"
)

func main() {
	stream := flag.Bool("stream", false, "print every line as it comes")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: gotest [-stream] -- <go test arguments>")
		flag.PrintDefaults()
	}
	flag.Parse()
	os.Exit(run(*stream, flag.Args()))
}

func run(stream bool, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var digest testrun.Digest
	res, err := testrun.Go(ctx, testrun.Options{Out: os.Stdout, Stream: stream, Digest: &digest}, args...)
	fmt.Printf("tests: %s\n", res)
	if err := errors.Join(err, digest.Publish(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		return 2
	}
	return min(res.Failed, 1)
}
