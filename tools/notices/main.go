// Command notices prints the licences of every module that is linked into the
// given programs, for shipping beside the binaries. Which programs is left to the Makefile.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(programs []string) error {
	modules, err := linked(programs)
	if err != nil {
		return err
	}
	for _, m := range modules {
		text, err := licence(m.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Printf("%s\n%s\n\n%s\n\n", m.name, strings.Repeat("=", len(m.name)), bytes.TrimSpace(text))
	}
	return nil
}

type module struct{ name, dir string }

// linked lists what the linker takes, not what go.mod names: tests need more than we ship.
func linked(programs []string) ([]module, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}{{end}}{{end}}`
	out, err := exec.Command("go", append([]string{"list", "-deps", "-f", format}, programs...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("list modules: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var all []module
	for _, line := range slices.Compact(lines) {
		if name, dir, ok := strings.Cut(line, "\t"); ok {
			all = append(all, module{name, dir})
		}
	}
	return all, nil
}

// grants begin, in any case, the names of files that grant or condition the use of a module.
var grants = []string{"license", "licence", "copying", "notice"}

// licence is every such file of a module's root.
func licence(dir string) ([]byte, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, f := range files {
		name := strings.ToLower(f.Name())
		if f.IsDir() || !slices.ContainsFunc(grants, func(g string) bool { return strings.HasPrefix(name, g) }) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		text = append(append(text, b...), '\n')
	}
	if len(text) == 0 {
		return nil, errors.New("no licence found in its root")
	}
	return text, nil
}
