package house

import (
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notShown are states that no object state of the browser is asked for: certificates have words of their own.
var notShown = []string{"pending", "expiring", "valid", "error"}

// elsewhere are states that are not written where they are given to an object: the verdicts of a monitor.
var elsewhere = map[string][]string{
	"internal/component/uplink": {"up", "down", "loss", "slow", "no_carrier"},
	"internal/component/cert":   {"pending", "valid", "expiring", "expired", "error"},
}

// states are those that the server can say an object is in, with where. A state is the first argument of Because or
// Chosen; where that is called state, it is whatever is given to something of that name in the same folder.
func states(all []source) map[string]string {
	found := map[string]string{}
	for _, s := range all {
		if s.ast == nil || s.test() || !s.under("internal/component") || !strings.Contains(s.text, `"gateway/internal/problem"`) {
			continue
		}
		note := func(n ast.Expr) {
			if state, ok := joined(n); ok && state != "" {
				found[state] = s.at(n)
			}
		}
		for _, state := range elsewhere[path.Dir(s.name)] {
			found[state] = s.name
		}
		places := placesOf(s.ast)
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if i, ok := stateAt(n, places); ok && i < len(n.Args) {
					note(n.Args[i])
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if len(n.Rhs) == len(n.Lhs) && nameOf(to) == "state" {
						note(n.Rhs[i])
					}
				}
			case *ast.FuncDecl:
				noteReturns(n, note)
			}
			return true
		})
	}
	return found
}

// nameOf is the last part of a name, in small letters.
func nameOf(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		return strings.ToLower(n.Name)
	case *ast.SelectorExpr:
		return strings.ToLower(n.Sel.Name)
	}
	return ""
}

// placesOf says which parameter of the functions in a file is called state.
func placesOf(file *ast.File) map[string]int {
	places := map[string]int{}
	keep := func(name string, t *ast.FuncType) {
		at := 0
		for _, field := range t.Params.List {
			for _, param := range field.Names {
				if param.Name == "state" {
					places[strings.ToLower(name)] = at
				}
				at++
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			keep(n.Name.Name, n.Type)
		case *ast.AssignStmt:
			if fn, ok := n.Rhs[0].(*ast.FuncLit); ok && len(n.Lhs) == 1 {
				keep(nameOf(n.Lhs[0]), fn.Type)
			}
		}
		return true
	})
	return places
}

// stateAt says which argument of a call is a state.
func stateAt(call *ast.CallExpr, places map[string]int) (int, bool) {
	name := nameOf(call.Fun)
	if name == "because" || name == "chosen" {
		return 0, true
	}
	i, ok := places[name]
	return i, ok
}

// noteReturns takes what a function returns as its result called state.
func noteReturns(fn *ast.FuncDecl, note func(ast.Expr)) {
	if fn.Type.Results == nil || fn.Body == nil {
		return
	}
	at, found := 0, -1
	for _, field := range fn.Type.Results.List {
		for _, result := range field.Names {
			if result.Name == "state" {
				found = at
			}
			at++
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && found >= 0 && found < len(r.Results) {
			note(r.Results[found])
		}
		return true
	})
}

// A list shows the state of an object by its word; one without a word is shown as its key.
func TestEveryStateOfAnObjectIsInTheCatalogs(t *testing.T) {
	all := tree(t)
	found := states(all)
	for _, state := range []string{"unresolved", "held", "no_certificate", "degraded", "no_carrier", "failed", "unknown", "absent", "slow"} {
		if found[state] == "" {
			t.Errorf("the state %q was not found: the test does not see how it is given", state)
		}
	}
	for _, language := range []string{"en", "de"} {
		c, _ := readCatalogs(all, language)
		for _, state := range slices.Sorted(maps.Keys(found)) {
			if c.keys["ui:objectState."+state] == "" && !slices.Contains(notShown, state) {
				t.Errorf("%s: no objectState.%s in %s", found[state], state, language)
			}
		}
	}
}

var cause = regexp.MustCompile(`"([^"]+)":\s+"([a-z_]+\.[a-z_]+)",`)

// Two reasons why something is not known are problems themselves; the browser and the test of states know them by their
// English. Worded otherwise in the source, each of them would be counted twice.
func TestTheReasonsThatAreProblemsAreStillSaid(t *testing.T) {
	all := tree(t)
	formats := map[string]bool{}
	found, _ := texts(all)
	for _, f := range found {
		formats[f.format] = true
	}
	for _, name := range []string{"web/src/ui/problemStore.tsx", "lab/e2e/people_judge_test.go"} {
		i := slices.IndexFunc(all, func(s source) bool { return s.name == name })
		if i < 0 {
			t.Fatalf("there is no %s", name)
		}
		_, block, _ := strings.Cut(all[i].text, "causes")
		block, _, _ = strings.Cut(block, "\n}")
		pairs := cause.FindAllStringSubmatch(block, -1)
		if len(pairs) != 2 {
			t.Errorf("%s: %d reasons, want 2", name, len(pairs))
		}
		for _, pair := range pairs {
			code := slices.ContainsFunc(all, func(s source) bool {
				return s.under("internal") && !s.test() && strings.Contains(s.text, `Code: "`+pair[2]+`"`)
			})
			if !formats[pair[1]] || !code {
				t.Errorf("%s: %q is said: %t; %s is a problem: %t", name, pair[1], formats[pair[1]], pair[2], code)
			}
		}
	}
}
