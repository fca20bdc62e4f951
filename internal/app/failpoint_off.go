//go:build !failpoint

package app

// failpoint is for the fault tests' builds; this is not one.
func failpoint(string) func(step string) { return nil }
