// Package house holds the rules of this repository that a linter cannot say, as
// tests over the source tree. What a linter can say is left to .golangci.yml.
package house
