// Command conformance tells which statements of docs/conformance.md a test shows.
// A test claims a statement by a comment, "// shows ID" or "// shows ID, ID"; the
// command believes it, so the reviewer of a test checks its claims. It fails on a
// claim of a statement that does not exist.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the checkout")
	where := flag.Bool("where", false, "list every shown statement with the tests that show it")
	flag.Parse()
	ok, err := run(os.Stdout, *root, *where)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run reports false when a claim names no statement.
func run(w io.Writer, root string, where bool) (bool, error) {
	src, err := os.ReadFile(filepath.Join(root, "docs", "conformance.md"))
	if err != nil {
		return false, fmt.Errorf("read the statements: %w", err)
	}
	list, err := parseStatements(string(src))
	if err != nil {
		return false, err
	}
	claims, err := findClaims(os.DirFS(root))
	if err != nil {
		return false, err
	}
	if where {
		list.writeWhere(w, claims)
	}
	shown := list.write(w, claims)
	unknown := list.unknown(claims)
	for _, u := range unknown {
		fmt.Fprintln(w, u)
	}
	fmt.Fprintf(w, "conformance: %d of %d shown\n", shown, len(list.ids))
	return len(unknown) == 0, nil
}
