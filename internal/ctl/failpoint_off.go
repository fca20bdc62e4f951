//go:build !failpoint

package ctl

// failpoint is for the fault tests' builds; this is not one.
func failpoint(string) func(point string) { return nil }
