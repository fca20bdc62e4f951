package applier

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
)

// profile is how often each block of statements ran, by its place: "file:line.column,line.column".
type profile map[string]int

// traced are the functions that a change runs, and those of a request and a round that change
// nothing, as "file function". What the test itself needs is not among them.
type traced struct{ change, noop map[string]bool }

// trace builds the test of a change so that it counts what runs, and has it go further each time.
func trace(t *testing.T, pkg, test string) traced {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "traced")
	folder := filepath.Join("../..", strings.TrimPrefix(pkg, "gateway/"))
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "-cover", "-covermode=atomic", "-coverpkg="+internalFolder+"...", pkg)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(far string) profile {
		t.Helper()
		file := filepath.Join(t.TempDir(), "profile")
		cmd := exec.CommandContext(t.Context(), binary, "-test.run=^"+test+"$", "-test.v", "-test.coverprofile="+file)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), componenttest.TraceEnv+"="+far)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+test)) {
			t.Fatalf("%s with %s: %v\n%s", test, far, err, out)
		}
		return readProfile(t, file)
	}
	nothing, noop, change := run(componenttest.TraceNothing), run(componenttest.TraceNoop), run("")
	return traced{change: functions(t, change, noop), noop: functions(t, noop, nothing)}
}

var profileLine = regexp.MustCompile(`(?m)^(\S+:\S+) \d+ (\d+)$`)

func readProfile(t *testing.T, file string) profile {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := profile{}
	for _, m := range profileLine.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		p[m[1]] += n
	}
	return p
}

// functions are those with a block that ran more often in one run than in the other.
func functions(t *testing.T, more, less profile) map[string]bool {
	t.Helper()
	places, out := map[string][]function{}, map[string]bool{}
	for block, n := range more {
		path, at, _ := strings.Cut(block, ":")
		file, ours := strings.CutPrefix(path, internalFolder)
		if n <= less[block] || !ours || strings.HasSuffix(filepath.Dir(file), "test") {
			continue
		}
		if places[file] == nil {
			places[file] = functionsOf(t, file)
		}
		line, err := strconv.Atoi(at[:strings.IndexByte(at, '.')])
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(places[file], func(f function) bool { return f.first <= line && line <= f.last })
		if i < 0 {
			t.Fatalf("%s is in no function", block)
		}
		out[file+" "+places[file][i].name] = true
	}
	return out
}

type function struct {
	name        string
	first, last int
}

func functionsOf(t *testing.T, file string) (all []function) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, filepath.Join("..", file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		name := "variables" // a function may be the value of one
		if f, ok := d.(*ast.FuncDecl); ok {
			name = f.Name.Name
		}
		all = append(all, function{name, set.Position(d.Pos()).Line, set.Position(d.End()).Line})
	}
	return all
}

// filesOf are the files of functions.
func filesOf(functions map[string]bool) (files []string) {
	for f := range functions {
		file, _, _ := strings.Cut(f, " ")
		files = append(files, file)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// beyond are the files with a function that a request and a round without a change do not run.
func (d traced) beyond() []string {
	own := map[string]bool{}
	for f := range d.change {
		if !d.noop[f] {
			own[f] = true
		}
	}
	return filesOf(own)
}

func (d traced) String() string {
	return fmt.Sprintf("%d files, %d of them with a function that no read and no idle round runs", len(filesOf(d.change)), len(d.beyond()))
}
