package testrun

import (
	"errors"
	"fmt"
	"os"
)

// CountsEnv names the file to which every run appends its counts, for the
// script that adds them up.
const CountsEnv = "GATEWAY_TEST_COUNTS"

// Result counts tests and subtests. A package that fails without a failed test
// (it does not build, it panics, it runs out of time) counts as one failure. Of
// what ran twice the second time counts; the unsteady ones are counted once more
// apart, without their subtests.
type Result struct {
	Passed, Failed, Skipped, Unsteady int
}

func (r Result) String() string {
	s := fmt.Sprintf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
	if r.Unsteady > 0 {
		s += fmt.Sprintf(", %d unsteady", r.Unsteady)
	}
	return s
}

func (r *Result) count(action string) {
	switch action {
	case "pass":
		r.Passed++
	case "fail":
		r.Failed++
	case "skip":
		r.Skipped++
	}
}

func (r *Result) add(o Result) {
	r.Passed += o.Passed
	r.Failed += o.Failed
	r.Skipped += o.Skipped
	r.Unsteady += o.Unsteady
}

func (r Result) append(path string) error {
	if path == "" {
		return nil
	}
	return appendTo(path, fmt.Sprintf("%d %d %d %d\n", r.Passed, r.Failed, r.Skipped, r.Unsteady))
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record the tests: %w", err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
