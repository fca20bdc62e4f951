package house

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	verb    = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*[\d.]*[a-zA-Z]`)
	letters = regexp.MustCompile(`[a-z]`)
)

// sentence is a text in the code of the product, and the pattern of what it becomes.
type sentence struct {
	text    string
	becomes *regexp.Regexp
}

func sentences(t *testing.T) []sentence {
	t.Helper()
	var all []sentence
	seen := map[string]bool{}
	walk(t, func(s source, n ast.Node) {
		expr, ok := n.(ast.Expr)
		text, whole := joined(expr)
		if !ok || !whole || s.test() || !utf8.ValidString(text) || seen[text] || len(letters.FindAllString(verb.ReplaceAllString(text, ""), -1)) < 6 {
			return
		}
		seen[text] = true
		all = append(all, sentence{text, varying(verb.Split(text, -1))})
	})
	return all
}

// varying is the pattern of a text that has anything between its parts.
func varying(parts []string) *regexp.Regexp {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(quoted, ".+") + `$`)
}

// joined is a text, also where it is written in several pieces.
func joined(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		a, okA := joined(n.X)
		b, okB := joined(n.Y)
		return a + b, okA && okB && n.Op == token.ADD
	}
	return "", false
}

// The browser finds the words for a sentence of the server by the sentence itself. One that
// nobody says any more leaves its successor untranslated, and nothing else would notice.
func TestEverySentenceThatTheBrowserTranslatesIsSaid(t *testing.T) {
	known := sentences(t)
	said := func(key string) bool {
		pattern, example := varying(strings.Split(key, "*")), strings.ReplaceAll(key, "*", `rule "a" and others`)
		return slices.ContainsFunc(known, func(s sentence) bool { return s.becomes.MatchString(example) || pattern.MatchString(s.text) })
	}
	for _, language := range []string{"en", "de"} {
		var catalog struct{ Server map[string]string }
		if err := json.Unmarshal([]byte(read(t, "web/src/ui/messages/"+language+".json")), &catalog); err != nil {
			t.Fatal(err)
		}
		if len(catalog.Server) < 50 || len(known) < 500 {
			t.Fatalf("%d sentences in %s, %d in the code: this test reads something else", len(catalog.Server), language, len(known))
		}
		for key := range catalog.Server {
			if !said(key) {
				t.Errorf("%s: nobody says %q", language, key)
			}
		}
	}
	if said("must be an elephant") {
		t.Error("it finds everything")
	}
}
