package all_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gateway/internal/app"
	"gateway/internal/problem"
)

var (
	goParam  = regexp.MustCompile(`\{(\w+)\}`)
	webParam = regexp.MustCompile(`\{\{(\w+)\}\}`)
	goBegin  = regexp.MustCompile(`^\{(\w+)\}`)
	webBegin = regexp.MustCompile(`^\{\{(\w+)\}\}`)
	nested   = regexp.MustCompile(`\$t\((\w+):([\w.]+)\)`)
)

// TestEveryProblemIsInBothCatalogs holds the words of the browser against the kinds of
// problems that the components can find: each code with its message and remedy, in both
// languages, with the parameters that the server sends.
func TestEveryProblemIsInBothCatalogs(t *testing.T) {
	seen := map[string]bool{}
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	for component, kinds := range a.Problems() {
		for _, k := range kinds {
			name, found := strings.CutPrefix(k.Code, component+".")
			if !found || seen[k.Code] {
				t.Errorf("%s: a code begins with its component, and there is one of it", k.Code)
			}
			seen[k.Code] = true
			if !begins(goBegin, k.Message) {
				t.Errorf("%s: %q does not begin with a capital", k.Code, k.Message)
			}
			for _, language := range []string{"en", "de"} {
				for what, text := range map[string]string{"message": k.Message, "remedy": k.Remedy} {
					judgeWords(t, language, component, "problems."+name+"."+what, text)
				}
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d kinds of problems were found", len(seen))
	}
}

func judgeWords(t *testing.T, language, feature, key, text string) {
	t.Helper()
	words := catalogText(t, language, feature, key)
	if words == "" {
		t.Errorf("%s: %s lacks %s", language, feature, key)
		return
	}
	if strings.HasSuffix(key, ".message") && !begins(webBegin, words) {
		t.Errorf("%s: %s of %s does not begin with a capital: %q", language, key, feature, words)
	}
	if got, want := params(webParam, words), params(goParam, text); !slices.Equal(got, want) {
		t.Errorf("%s: %s of %s has the parameters %v, the server sends %v", language, key, feature, got, want)
	}
}

// begins reports whether a message begins with a capital: with one of its own, with a parameter
// that is a sentence or the name of a service, which have one, or with a number.
func begins(parameter *regexp.Regexp, text string) bool {
	if m := parameter.FindStringSubmatch(text); m != nil {
		return slices.Contains([]string{"what", "name", "object", "service", "percent", "failed"}, m[1])
	}
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

func params(pattern *regexp.Regexp, text string) (names []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// catalogText is the text at a key, with those it refers to.
func catalogText(t *testing.T, language, feature, key string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "web", "src", "features", feature, "messages", language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var at any
	if err := json.Unmarshal(raw, &at); err != nil {
		t.Fatal(err)
	}
	for _, step := range strings.Split(key, ".") {
		folder, _ := at.(map[string]any)
		at = folder[step]
	}
	text, _ := at.(string)
	return nested.ReplaceAllStringFunc(text, func(ref string) string {
		m := nested.FindStringSubmatch(ref)
		return catalogText(t, language, m[1], m[2])
	})
}

func TestProblemsNameTheirParameters(t *testing.T) {
	k := problem.Kind{Code: "toy.broken", Message: "{toy} is broken by {who}", Remedy: "Ask {who}."}
	p := k.On(problem.Subject{}, "", problem.Params{"toy": "the ball", "who": "Ann"})
	if p.Message != "the ball is broken by Ann" || p.Remedy != "Ask Ann." {
		t.Errorf("%q, %q", p.Message, p.Remedy)
	}
}
