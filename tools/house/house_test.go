package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

const maxLines = 500

// longFiles may have more lines than maxLines. Each entry says why; an entry that
// is no longer needed fails the test.
var longFiles = map[string]string{}

// source is one text file of the repository. Go files also carry their syntax tree.
type source struct {
	name string // slash-separated, from the root of the repository
	text string
	ast  *ast.File
	fset *token.FileSet
}

func (s source) is(ext ...string) bool { return slices.Contains(ext, path.Ext(s.name)) }
func (s source) test() bool            { return strings.HasSuffix(s.name, "_test.go") }
func (s source) under(dir string) bool { return strings.HasPrefix(s.name, dir+"/") }

func (s source) at(n ast.Node) string {
	return s.name + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

var generated = regexp.MustCompile(`(?m)^(//|#|--|/\*) Code generated .* DO NOT EDIT`)

var repository struct {
	once sync.Once
	all  []source
}

// tree is the repository, without what is built, fetched or generated. It is read once.
func tree(t *testing.T) []source {
	t.Helper()
	repository.once.Do(func() { repository.all = readTree(t) })
	return repository.all
}

func readTree(t *testing.T) []source {
	t.Helper()
	var all []source
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".cache", "bin", "dist", "node_modules", "vendor"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || name == ".git" { // the checkout of a worktree has a file of that name
			return nil
		}
		b, err := fs.ReadFile(root, name)
		if err == nil && utf8.Valid(b) && !generated.Match(b) && !strings.Contains(name, "/generated/") {
			all = append(all, parse(t, name, string(b)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// positions are those of all files, for what reads several of a package at once.
var positions = token.NewFileSet()

func parse(t *testing.T, name, text string) source {
	t.Helper()
	s := source{name: name, text: text, fset: positions}
	// A fixture under testdata may be broken on purpose.
	if !s.is(".go") || strings.Contains(name, "testdata/") {
		return s
	}
	f, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s does not parse: %v", name, err)
		return s
	}
	s.ast = f
	return s
}

// walk calls visit for every node of every Go file.
func walk(t *testing.T, visit func(s source, n ast.Node)) {
	t.Helper()
	for _, s := range tree(t) {
		if s.ast == nil {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if n != nil {
				visit(s, n)
			}
			return true
		})
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	for _, s := range tree(t) {
		if s.ast == nil {
			continue
		}
		dir := path.Dir(s.name)
		commented[dir] = commented[dir] || s.ast.Doc != nil
	}
	for dir, ok := range commented {
		if !ok {
			t.Errorf("%s: say in a package comment what it is for, and what it leaves to others", dir)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	used := map[string]bool{}
	for _, s := range tree(t) {
		n := strings.Count(s.text, "\n")
		if n <= maxLines || !s.is(".go", ".ts", ".tsx", ".mjs", ".css", ".sql", ".sh", ".tmpl") || strings.Contains(s.name, "testdata/") {
			continue
		}
		used[s.name] = true
		if longFiles[s.name] == "" {
			t.Errorf("%s has %d lines, more than %d: it wants a second noun, or a reason in longFiles", s.name, n, maxLines)
		}
	}
	for name := range longFiles {
		if !used[name] {
			t.Errorf("longFiles names %s, which is short or gone", name)
		}
	}
}

func TestNothingNamesAMachine(t *testing.T) {
	// Spelt so that this file does not match itself.
	machine := regexp.MustCompile(`(^|[^A-Za-z0-9_.*-])/(wor` + `k|far` + `m)/|//(deb|security|registry|proxy)\.(deb` + `ian|npm` + `js|gol` + `ang)\.org`)
	for _, s := range tree(t) {
		for i, line := range strings.Split(s.text, "\n") {
			if machine.MatchString(line) {
				t.Errorf("%s:%d names a path of one machine, or where packages come from: %s", s.name, i+1, strings.TrimSpace(line))
			}
		}
	}
}

func TestInitStaysInTheAPI(t *testing.T) {
	walk(t, func(s source, n ast.Node) {
		if f, ok := n.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && path.Dir(s.name) != "internal/api" {
			t.Errorf("%s: no init(); pass what it sets up as an argument", s.at(n))
		}
	})
}

// A template finds methods by names that it reads when it runs. In a program with one the linker
// keeps every method of every type, a fifth of its size.
func TestTheProgramsRunNoTemplates(t *testing.T) {
	walk(t, func(s source, n ast.Node) {
		i, ok := n.(*ast.ImportSpec)
		if ok && (s.under("internal") || s.under("cmd")) && !s.test() && (i.Path.Value == `"text/template"` || i.Path.Value == `"html/template"`) {
			t.Errorf("%s: build the text instead of importing %s", s.at(n), i.Path.Value)
		}
	})
}

func TestTestsDoNotSleep(t *testing.T) {
	walk(t, func(s source, n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !s.test() || s.under("lab") || sel.Sel.Name != "Sleep" {
			return
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" {
			t.Errorf("%s: wait for the event instead of sleeping, or use testing/synctest", s.at(n))
		}
	})
}

var starQuery = regexp.MustCompile(`(?i)\b(select|returning)\s+([a-z_]+\.)?\*`)

func TestQueriesNameTheirColumns(t *testing.T) {
	walk(t, func(s source, n ast.Node) {
		lit, ok := n.(*ast.BasicLit)
		if ok && lit.Kind == token.STRING && !s.under("tools/house") && starQuery.MatchString(lit.Value) {
			t.Errorf("%s: name the columns: %s", s.at(n), starQuery.FindString(lit.Value))
		}
	})
	for _, s := range tree(t) {
		if s.is(".sql") && starQuery.MatchString(s.text) {
			t.Errorf("%s: name the columns: %s", s.name, starQuery.FindString(s.text))
		}
	}
}

// A folder below internal/component with a component.go is a component; others
// there are helpers. A test may need another one's tables: a foreign key leads there; so may
// a folder of what tests share, like firewalltest.
func TestComponentsDoNotImportEachOther(t *testing.T) {
	const base = "internal/component/"
	own := func(name string) string {
		rest, found := strings.CutPrefix(name, base)
		if !found {
			return ""
		}
		first, _, _ := strings.Cut(rest, "/")
		if _, err := os.Stat(filepath.Join("../..", base, first, "component.go")); err != nil {
			return ""
		}
		return first
	}
	walk(t, func(s source, n ast.Node) {
		imp, ok := n.(*ast.ImportSpec)
		from := own(s.name)
		if !ok || from == "" || from == "all" || s.test() || strings.HasSuffix(filepath.Dir(s.name), "test") {
			return
		}
		to := own(strings.TrimPrefix(strings.Trim(imp.Path.Value, `"`), "gateway/"))
		if to != "" && to != from {
			t.Errorf("%s: component %s imports component %s", s.at(n), from, to)
		}
	})
}
