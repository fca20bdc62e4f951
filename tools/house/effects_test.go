package house

import (
	"go/ast"
	"path"
	"slices"
	"testing"
)

// outside are the calls that reach beyond the database, by what they are called on; "" is any method of it.
var outside = map[string][]string{
	"Setup": {"Update"}, "Applier": {""}, "Restores": {""},
	"os":          {"WriteFile", "OpenFile", "Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "Remove", "RemoveAll", "Rename", "Truncate", "Chmod", "Chown", "Symlink"},
	"privatefile": {""}, "exec": {""}, "net": {"Dial", "DialTimeout"}, "http": {"Get", "Post", "PostForm", "Head"},
}

// asked are the fields of a resource whose functions run for a dry run too, though some never see its transaction.
var asked = []string{"Prepare", "Validate", "Derive"}

// effects finds the calls within a transaction that a rollback would not undo. It follows functions of the same package
// by their names; what a function of another package does is that one's to say.
func effects(files []source) (found []string) {
	given, reach := givenTo(files), map[string]bool{}
	within := func(name string, f *ast.FuncType) bool { return given.names[name] || inTransaction(f) }
	for grown := true; grown; {
		grown = false
		for _, s := range files {
			for _, d := range s.ast.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Body != nil && !reach[f.Name.Name] && !within(f.Name.Name, f.Type) && len(reaching(f.Body, reach)) > 0 {
					reach[f.Name.Name], grown = true, true
				}
			}
		}
	}
	for _, s := range files {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch f := n.(type) {
			case *ast.FuncDecl:
				if within(f.Name.Name, f.Type) {
					body = f.Body
				}
			case *ast.FuncLit:
				if given.literals[f] || inTransaction(f.Type) {
					body = f.Body
				}
			}
			if body == nil {
				return true
			}
			for _, call := range reaching(body, reach) {
				found = append(found, s.at(call))
			}
			return false
		})
	}
	return found
}

// functions are those of a package by their names, and those without one.
type functions struct {
	names    map[string]bool
	literals map[*ast.FuncLit]bool
}

// givenTo are the functions that a package gives to its resources in the fields asked.
func givenTo(files []source) functions {
	given := functions{map[string]bool{}, map[*ast.FuncLit]bool{}}
	for _, s := range files {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			field, ok := n.(*ast.KeyValueExpr)
			if !ok || !slices.Contains(asked, calledOn(field.Key)) {
				return true
			}
			if literal, ok := field.Value.(*ast.FuncLit); ok {
				given.literals[literal] = true
			} else if name := calledOn(field.Value); name != "" {
				given.names[name] = true
			}
			return true
		})
	}
	return given
}

// inTransaction reports whether a function is given the transaction of a change.
func inTransaction(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		sel, ok := p.Type.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Tx" && calledOn(sel.X) == "change"
	})
}

// reaching are the calls of a body that reach outside, but for what waits for the commit.
func reaching(body ast.Node, reach map[string]bool) (calls []*ast.CallExpr) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if reach[f.Name] {
				calls = append(calls, call)
			}
		case *ast.SelectorExpr:
			if f.Sel.Name == "AfterCommit" {
				return false
			}
			_, method := f.X.(*ast.Ident) // of what the function belongs to
			names := outside[calledOn(f.X)]
			if slices.Contains(names, "") || slices.Contains(names, f.Sel.Name) || method && reach[f.Sel.Name] {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}

// calledOn is the last name of what something is called on.
func calledOn(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	default:
		return ""
	}
}

// A dry run, a refused change, a failed batch and a failed commit touch nothing outside of the database.
func TestTransactionsReachNothingOutside(t *testing.T) {
	packages := map[string][]source{}
	for _, s := range tree(t) {
		if s.ast != nil && s.under("internal") && !s.test() {
			dir := path.Dir(s.name)
			packages[dir] = append(packages[dir], s)
		}
	}
	for _, all := range packages {
		for _, at := range effects(all) {
			t.Errorf("%s: this is done although the change may not be stored; leave it to AfterCommit", at)
		}
	}
}

func TestWhatATransactionReachesIsFound(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want int
	}{
		"the setup store":         {`u.Setup.Update(nil)`, 1},
		"after the commit":        {`tx.AfterCommit(func() { u.Setup.Update(nil); save() })`, 0},
		"a file":                  {`os.Remove("x")`, 1},
		"by a function":           {`save()`, 1},
		"by a method, further on": {`u.also()`, 1},
		"within a condition":      {`if err := u.also(); err != nil { return }`, 1},
		"a question":              {`u.Setup.State(); os.Getpid()`, 0},
		"one that has it as well": {`u.within(tx)`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for way, written := range map[string]string{
				"in a transaction":         `func (u *U) do() { u.Run(func(tx change.Tx) { ` + tc.body + ` }) }`,
				"given as a literal":       `func (u *U) do() { Single{Validate: func(tx db.DB) { ` + tc.body + ` }} }`,
				"given as a function":      `func (u *U) do() { Resource{Derive: hash} }; func hash() { ` + tc.body + ` }`,
				"given as a method of its": `func (u *U) do() { Resource{Prepare: u.prepare} }; func (u *U) prepare() { ` + tc.body + ` }`,
			} {
				s := parse(t, "internal/x/x.go", `package x
`+written+`
func save() { os.WriteFile("x", nil, 0) }
func (u *U) also() { save() }
func (u *U) within(tx change.Tx) { tx.AfterCommit(save) }
`)
				if got := effects([]source{s}); len(got) != tc.want {
					t.Errorf("%s: found %q, want %d", way, got, tc.want)
				}
			}
		})
	}
}
