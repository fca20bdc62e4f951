//go:build !failpoint

package applier

// failpoint is for the fault tests' builds; this is not one.
func failpoint(string) func(step string) { return nil }
