package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-zA-Z]`)

// joined is a text, also where it is written in several pieces.
func joined(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		words, err := strconv.Unquote(n.Value)
		return words, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		a, okA := joined(n.X)
		b, okB := joined(n.Y)
		return a + b, okA && okB && n.Op == token.ADD
	}
	return "", false
}

// formatAt says which argument of a function of package fault is a format.
var formatAt = map[string]int{"New": 1, "At": 1, "Said": 0, "Say": 0}

// textLists are variables that hold formats: of somebody else's messages, and of what daemons name.
var textLists = []string{"humaTexts", "subjectTexts"}

// text is a message that the server can send, by its format.
type text struct {
	format string
	at     string // where it is said first
}

// unsaid reports whether what a file says never goes over HTTP: the command line, and what
// only tests use.
func (s source) unsaid() bool {
	for _, dir := range []string{"internal/ctl", "internal/app/fuzz", "internal/component/componenttest", "internal/component/all/toy", "lab", "tools", "cmd"} {
		if s.under(dir) {
			return true
		}
	}
	return s.ast == nil || s.test() || strings.Contains(s.name, "testdata/")
}

// texts are all formats in the files, and what is none: a format that is put together
// elsewhere cannot be looked up by anybody.
func texts(all []source) (found []text, broken []string) {
	seen := map[string]bool{}
	note := func(s source, n ast.Expr) {
		format, whole := joined(n)
		switch {
		case !whole || strings.Trim(verb.ReplaceAllString(format, ""), " :.") == "":
			broken = append(broken, s.at(n)+": the format is not a text with words of its own")
		case !seen[format]:
			seen[format] = true
			found = append(found, text{format, s.at(n)})
		}
	}
	for _, s := range all {
		if s.unsaid() {
			continue
		}
		collectors := collectorsOf(s.ast)
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if i := formatIn(n, collectors); i >= 0 && i < len(n.Args) {
					note(s, n.Args[i])
				}
			case *ast.ValueSpec:
				if list, ok := listIn(n); ok {
					for _, one := range list.Elts {
						note(s, one)
					}
				}
			case *ast.FuncDecl:
				for _, reason := range reasonsIn(s, n) {
					note(s, reason)
				}
			}
			return true
		})
	}
	slices.SortFunc(found, func(a, b text) int { return strings.Compare(a.format, b.format) })
	return found, broken
}

// collectorsOf are the names of a file's variables and parameters of the type fault.Problems.
func collectorsOf(f *ast.File) (names []string) {
	add := func(typ ast.Expr, idents []*ast.Ident) {
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if sel, ok := typ.(*ast.SelectorExpr); !ok || fmt.Sprint(sel.X) != "fault" || sel.Sel.Name != "Problems" {
			return
		}
		for _, one := range idents {
			names = append(names, one.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			add(n.Type, n.Names)
		case *ast.ValueSpec:
			add(n.Type, n.Names)
		}
		return true
	})
	return names
}

// formatIn is the number of the argument of a call that is a format; -1 for none.
func formatIn(call *ast.CallExpr, collectors []string) int {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return -1
	}
	on := fmt.Sprint(sel.X)
	if inner, ok := sel.X.(*ast.SelectorExpr); ok {
		on = inner.Sel.Name
	}
	if i, ok := formatAt[sel.Sel.Name]; ok && on == "fault" {
		return i
	}
	if sel.Sel.Name == "Add" && slices.Contains(collectors, on) {
		return 1
	}
	return -1
}

// reasonsIn are the texts that the packet filter's compiler gives for leaving something out.
// It says them as they are, without parameters.
func reasonsIn(s source, f *ast.FuncDecl) (reasons []ast.Expr) {
	if !s.under("internal/packetfilter") || f.Body == nil {
		return nil
	}
	add := func(e ast.Expr) {
		if words, whole := joined(e); whole && words != "" {
			reasons = append(reasons, e)
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if strings.HasPrefix(f.Name.Name, "problemOf") && len(n.Results) == 1 {
				add(n.Results[0])
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "skip" && len(n.Args) == 3 {
				add(n.Args[2])
			}
		}
		return true
	})
	return reasons
}

func listIn(spec *ast.ValueSpec) (*ast.CompositeLit, bool) {
	if len(spec.Names) != 1 || len(spec.Values) != 1 || !slices.Contains(textLists, spec.Names[0].Name) {
		return nil, false
	}
	list, ok := spec.Values[0].(*ast.CompositeLit)
	return list, ok
}

// nouns are the kinds of objects and services that messages have as parameters.
func nouns(all []source) (found []string) {
	for _, s := range all {
		if s.unsaid() {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok || !slices.Contains([]string{"Noun", "noun", "Phrase"}, fmt.Sprint(pair.Key)) {
				return true
			}
			if word, whole := joined(pair.Value); whole {
				found = append(found, strings.ReplaceAll(word, "-", " "))
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}
