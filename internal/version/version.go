// Package version holds the version that the build stamps into every binary.
package version

// Version is major.minor.patch, set by the linker; a build without it is a developer's.
var Version = "0.0.0"
