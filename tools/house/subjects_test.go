package house

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"

	"gateway/internal/fault"
)

// naming are the fields that hold what a daemon names, by their types.
var naming = map[string]string{
	"gateway/internal/daemon.Problem":         "Subject",
	"gateway/internal/rtnl/reconcile.Trouble": "Subject",
	"gateway/internal/rtnl/reconcile.Step":    "What",
	"gateway/internal/packetfilter.Problem":   "Subject",
	"gateway/internal/daemon.Opening":         "Why",
	"gateway/internal/packetfilter.Opening":   "Why",
	"gateway/internal/packetfilter.Decider":   "Why",
}

// subjects finds how objects are named, across functions and fields: what a function is called
// with, and what a field is set to.
type subjects struct {
	files    map[string][]source // by the path of the package
	packages map[string]*types.Package
	info     types.Info

	owner  map[types.Object]parameter  // of a parameter
	values map[types.Object][]ast.Expr // that a variable or a field is set to; nil is one that nobody knows
	calls  map[types.Object][]*ast.CallExpr
	gives  map[types.Object][]ast.Expr // what a function returns
	where  map[ast.Node]source
	fields map[types.Object]bool // those of naming
	active map[types.Object]bool // that are being looked at
}

type parameter struct {
	function types.Object
	number   int
}

// subjectsIn reads the packages of the product. What they import from elsewhere does not matter here.
func subjectsIn(all []source) *subjects {
	s := &subjects{
		files: map[string][]source{}, packages: map[string]*types.Package{},
		info: types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		},
		owner: map[types.Object]parameter{}, values: map[types.Object][]ast.Expr{}, calls: map[types.Object][]*ast.CallExpr{},
		gives: map[types.Object][]ast.Expr{}, where: map[ast.Node]source{}, fields: map[types.Object]bool{}, active: map[types.Object]bool{},
	}
	for _, one := range all {
		if !one.unsaid() {
			dir := "gateway/" + path.Dir(one.name)
			s.files[dir] = append(s.files[dir], one)
		}
	}
	for dir := range s.files {
		_, _ = s.Import(dir)
	}
	for _, files := range s.files {
		for _, one := range files {
			s.read(one)
		}
	}
	return s
}

// Import makes s an importer: of the product's packages, and of empty ones instead of all others.
func (s *subjects) Import(dir string) (*types.Package, error) {
	if p := s.packages[dir]; p != nil {
		return p, nil
	}
	if s.files[dir] == nil {
		p := types.NewPackage(dir, path.Base(dir))
		p.MarkComplete()
		s.packages[dir] = p
		return p, nil
	}
	var files []*ast.File
	for _, one := range s.files[dir] {
		files = append(files, one.ast)
	}
	config := types.Config{Importer: s, Error: func(error) {}}
	p, _ := config.Check(dir, positions, files, &s.info)
	s.packages[dir] = p
	return p, nil
}

func (s *subjects) read(from source) {
	ast.Inspect(from.ast, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			s.where[e] = from
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.function(s.info.Defs[n.Name], n.Type, n.Body)
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				var value ast.Expr
				if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					value = n.Rhs[i]
				}
				s.assign(s.object(to), value)
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					s.assign(s.info.Defs[name], n.Values[i])
				}
			}
		case *ast.CallExpr:
			if f := s.object(n.Fun); f != nil {
				s.calls[f] = append(s.calls[f], n)
			}
		case *ast.CompositeLit:
			s.literal(n)
		}
		return true
	})
}

func (s *subjects) assign(to types.Object, value ast.Expr) {
	if to == nil {
		return
	}
	s.values[to] = append(s.values[to], value)
	if f, ok := value.(*ast.FuncLit); ok {
		s.function(to, f.Type, f.Body)
	}
}

func (s *subjects) function(f types.Object, typ *ast.FuncType, body *ast.BlockStmt) {
	number := 0
	for _, field := range typ.Params.List {
		for _, name := range field.Names {
			s.owner[s.info.Defs[name]] = parameter{f, number}
			number++
		}
	}
	if body == nil || typ.Results == nil || len(typ.Results.List) != 1 {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			s.gives[f] = append(s.gives[f], r.Results[0])
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

func (s *subjects) literal(n *ast.CompositeLit) {
	typ := s.info.Types[n].Type
	if p, ok := typ.(*types.Pointer); ok {
		typ = p.Elem()
	}
	if typ == nil {
		return
	}
	fields, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			name, _ := pair.Key.(*ast.Ident)
			s.assign(s.info.Uses[name], pair.Value)
		} else if i < fields.NumFields() {
			s.assign(fields.Field(i), e)
		}
	}
}

// object is what an expression names: a variable, a field or a function.
func (s *subjects) object(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		if o := s.info.Defs[e]; o != nil {
			return o
		}
		return s.info.Uses[e]
	case *ast.SelectorExpr:
		return s.object(e.Sel)
	case *ast.IndexExpr: // a function with its type
		return s.object(e.X)
	}
	return nil
}

// said is what all those fields are set to, as formats, each with where it stands. "%s" alone
// is something that nobody can look up.
func (s *subjects) said() map[string]string {
	found := map[string]string{}
	for name, field := range naming {
		dot := strings.LastIndexByte(name, '.')
		p := s.packages[name[:dot]]
		if p == nil {
			continue
		}
		of := p.Scope().Lookup(name[dot+1:])
		if of == nil {
			found[name+" is gone"] = name
			continue
		}
		o, _, _ := types.LookupFieldOrMethod(of.Type(), true, p, field)
		s.fields[o] = true
	}
	for o := range s.fields {
		s.add(found, s.values[o])
	}
	if p := s.packages["gateway/internal/fault"]; p != nil {
		for _, call := range s.calls[p.Scope().Lookup("Named")] {
			if !s.where[call].under("internal/fault") {
				s.add(found, call.Args[:1])
			}
		}
	}
	return found
}

func (s *subjects) add(found map[string]string, values []ast.Expr) {
	for _, e := range values {
		if e == nil || s.forwards(e) {
			continue
		}
		for _, format := range s.formats(e) {
			if at := s.where[e].at(e); found[format] == "" || at < found[format] {
				found[format] = at
			}
		}
	}
}

// forwards reports whether an expression hands on what was named elsewhere.
func (s *subjects) forwards(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && s.fields[s.info.Uses[sel.Sel]]
}

// formats are what an expression can be, with %s for what only the operator's objects tell.
func (s *subjects) formats(e ast.Expr) []string {
	if v := s.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return []string{strings.ReplaceAll(constant.StringVal(v), "%", "%%")}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.formats(e.X)
	case *ast.BinaryExpr:
		return joinedEach("%s%s", [][]string{s.formats(e.X), s.formats(e.Y)})
	case *ast.CallExpr:
		return s.called(e)
	case *ast.Ident:
		return s.variable(s.info.Uses[e])
	case *ast.SelectorExpr:
		if e.Sel.Name == "what" {
			return s.variable(s.info.Uses[e.Sel])
		}
	}
	return []string{"%s"}
}

func (s *subjects) called(call *ast.CallExpr) []string {
	sel, _ := call.Fun.(*ast.SelectorExpr)
	if sel != nil && fmt.Sprint(sel.X) == "fmt" && sel.Sel.Name == "Sprintf" {
		format, _ := joined(call.Args[0])
		var parts [][]string
		for i, v := range verb.FindAllString(format, -1) {
			part := []string{"%s"}
			if v == "%s" && i+1 < len(call.Args) {
				part = s.formats(call.Args[i+1])
			}
			parts = append(parts, part)
		}
		return joinedEach(verb.ReplaceAllString(format, "%s"), parts)
	}
	f, ok := s.object(call.Fun).(*types.Func)
	if !ok || f.Signature().Recv() != nil {
		return []string{"%s"}
	}
	return s.each(f, s.gives[f])
}

// variable is what a variable can be: what it is set to, or what a function is called with.
func (s *subjects) variable(o types.Object) []string {
	values := slices.Clone(s.values[o])
	if p, ok := s.owner[o]; ok {
		for _, call := range s.calls[p.function] {
			if p.number < len(call.Args) {
				values = append(values, call.Args[p.number])
			}
		}
	}
	return s.each(o, values)
}

func (s *subjects) each(o types.Object, values []ast.Expr) []string {
	if o == nil || s.active[o] {
		return []string{"%s"}
	}
	s.active[o] = true
	defer delete(s.active, o)
	if len(values) == 0 {
		return []string{"%s"}
	}
	var all []string
	for _, e := range values {
		switch {
		case e == nil:
			all = append(all, "%s")
		case !s.forwards(e):
			all = append(all, s.formats(e)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// joinedEach fills each combination of the parts in.
func joinedEach(format string, parts [][]string) []string {
	all := [][]any{nil}
	for _, alternatives := range parts {
		var next [][]any
		for _, before := range all {
			for _, one := range alternatives {
				if strings.Trim(verb.ReplaceAllString(one, ""), " :./-()") == "" && verb.MatchString(one) {
					one = "%s" // an address and its prefix are one name
				}
				next = append(next, append(slices.Clone(before), one))
			}
		}
		all = next
	}
	formats := make([]string, len(all))
	for i, filled := range all {
		formats[i] = fmt.Sprintf(format, filled...)
	}
	return formats
}

// judgeSubjects holds what is named against the list of what can be looked up.
func judgeSubjects(said map[string]string, listed []string, named func(string) string) (wrong []string) {
	for format, at := range said {
		if text := named(strings.ReplaceAll(format, "%s", "0")); text != format {
			wrong = append(wrong, fmt.Sprintf("%s: %q is looked up as %q; subjectTexts lacks it, or has it too late", at, format, text))
		}
	}
	for _, format := range listed {
		if said[format] == "" {
			wrong = append(wrong, fmt.Sprintf("subjectTexts has %q, which nobody says", format))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// listedSubjects are the texts that fault.Named finds.
func listedSubjects(all []source) (listed []string) {
	for _, s := range all {
		if !s.under("internal/fault") || s.ast == nil {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != "subjectTexts" {
				return true
			}
			list, _ := listIn(spec)
			for _, e := range list.Elts {
				text, _ := joined(e)
				listed = append(listed, text)
			}
			return false
		})
	}
	return listed
}

// A subject that fault.Named does not know stays English within a German sentence; the German of
// those that it knows is held by TestEveryMessageOfTheServerIsInTheCatalogs.
func TestWhateverDaemonsNameIsTranslated(t *testing.T) {
	all := tree(t)
	said := subjectsIn(all).said()
	for _, wrong := range judgeSubjects(said, listedSubjects(all), func(s string) string { return fault.Named(s).Text }) {
		t.Error(wrong)
	}
	if len(said) < 50 {
		t.Errorf("only %d subjects were found", len(said))
	}
}
