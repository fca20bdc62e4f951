// Command conformance tells which statements of docs/conformance.md a test shows.
// A test claims a statement by a comment, "// shows ID" or "// shows ID, ID"; the
// command believes it, so the reviewer of a test checks its claims. What is shown by
// a stand-in for a part that does not exist yet is claimed as "// shows (stand-in) ID"
// and counted apart. A statement that docs/departures.md contradicts is claimed with
// an asterisk, "// shows ID*", and no other. The command fails on a claim of a
// statement that does not exist.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the checkout")
	where := flag.Bool("where", false, "list every shown statement with the tests that show it")
	write := flag.Bool("write", false, "bring the figure in README.md up to date")
	flag.Parse()
	var out strings.Builder
	ok, err := run(io.MultiWriter(os.Stdout, &out), *root, *where)
	if err == nil && *write {
		err = writeReadme(filepath.Join(*root, "README.md"), out.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// strictStars has a wrong asterisk fail the command; otherwise it is only told.
const strictStars = true

// run reports false when a claim is wrong.
func run(w io.Writer, root string, where bool) (bool, error) {
	list, departs, err := readPages(root)
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
	wrong := append(list.unknown(claims), departs.unknown(list)...)
	stars := departs.wrongStars(claims)
	for _, line := range append(wrong, stars...) {
		fmt.Fprintln(w, line)
	}
	if names, n := list.standIns(claims); n > 0 {
		fmt.Fprintf(w, "by stand-ins only, not counted: %d (%s)\n", n, names)
	}
	fmt.Fprintf(w, "conformance: %d of %d shown\n", shown, len(list.ids))
	return len(wrong) == 0 && (len(stars) == 0 || !strictStars), nil
}

func readPages(root string) (statements, departures, error) {
	src, err := os.ReadFile(filepath.Join(root, "docs", "conformance.md"))
	if err != nil {
		return statements{}, nil, fmt.Errorf("read the statements: %w", err)
	}
	departs, err := os.ReadFile(filepath.Join(root, "docs", "departures.md"))
	if err != nil {
		return statements{}, nil, fmt.Errorf("read the departures: %w", err)
	}
	list, err := parseStatements(string(src))
	return list, parseDepartures(string(departs)), err
}

var (
	counted = regexp.MustCompile(`conformance: (\d+ of \d+) shown`)
	told    = regexp.MustCompile(`\d+ of \d+ statements`)
)

// figure is what was counted, as the README has it.
func figure(output string) string {
	if m := counted.FindStringSubmatch(output); m != nil {
		return m[1] + " statements"
	}
	return ""
}

func writeReadme(page, output string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("read the README: %w", err)
	}
	if !told.Match(text) {
		return fmt.Errorf("%s has no figure of statements", page)
	}
	return os.WriteFile(page, told.ReplaceAll(text, []byte(figure(output))), 0o644)
}
