package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/internal/app"
	"gateway/internal/problem"
	"gateway/tools/bar"
)

var (
	goParam  = regexp.MustCompile(`\{(\w+)\}`)
	webParam = regexp.MustCompile(`\{\{(\w+)\}\}`)
	nested   = regexp.MustCompile(`\$t\((\w+):([\w.]+)\)`)
)

// judgeProblems holds the words for problems against the kinds that the server can find.
func judgeProblems(kinds []problem.Kind, c catalogs) (wrong []string) {
	for _, k := range kinds {
		feature, name, _ := strings.Cut(k.Code, ".")
		for what, said := range map[string]string{"message": k.Message, "remedy": k.Remedy} {
			key := feature + ":problems." + name + "." + what
			words := nested.ReplaceAllStringFunc(c.keys[key], func(ref string) string {
				m := nested.FindStringSubmatch(ref)
				return c.keys[m[1]+":"+m[2]]
			})
			if words == "" || !slices.Equal(names(webParam, words), names(goParam, said)) {
				wrong = append(wrong, key)
			}
		}
	}
	return wrong
}

func names(pattern *regexp.Regexp, words string) (all []string) {
	for _, m := range pattern.FindAllStringSubmatch(words, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// troubleCodes are the codes of what can go wrong with a certificate, which the browser has
// remedies for.
func troubleCodes(all []source) (codes []string) {
	for _, s := range all {
		if s.name != "internal/component/cert/trouble.go" {
			continue
		}
		for _, d := range s.ast.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				for _, value := range spec.(*ast.ValueSpec).Values {
					if code, whole := joined(value); whole {
						codes = append(codes, code)
					}
				}
			}
		}
	}
	return codes
}

func judgeTroubles(codes []string, c catalogs) (wrong []string) {
	for _, code := range codes {
		if c.keys["cert:remedy."+code] == "" {
			wrong = append(wrong, "cert:remedy."+code)
		}
	}
	return wrong
}

// TestBarPeople05Words counts what the server can say to people, and what of it the browser
// has no words for.
func TestBarPeople05Words(t *testing.T) {
	all := tree(t)
	said, wrong := texts(all)
	en, twiceEn := readCatalogs(all, "en")
	de, twiceDe := readCatalogs(all, "de")
	kinds := problemKinds(t)
	troubles := troubleCodes(all)
	wrong = slices.Concat(wrong, twiceEn, twiceDe, judgeTexts(said, nouns(all), en, de))
	for _, c := range []catalogs{en, de} {
		wrong = slices.Concat(wrong, judgeProblems(kinds, c), judgeTroubles(troubles, c))
	}
	hit, seen := banned(all)
	for _, one := range slices.Concat(wrong, hit) {
		t.Log(one)
	}
	found, want := control(t, said, kinds, en, de)
	figure := fmt.Sprintf("%d messages, %d kinds of problems, %d causes with certificates: %d missing or without a parameter; %d banned wordings in %d texts, %d pages and catalogs; control: %d of %d planted found",
		len(said), len(kinds), len(troubles), len(wrong), len(hit), seen["Go"], seen["page"]+seen["English"]+seen["German"], found, want)
	enough := len(said) > 350 && len(kinds) > 40 && len(troubles) > 10 && seen["Go"] > 1000
	bar.Report(t, "people", 5, figure, "0 missing; 0 banned; control finds all", len(wrong) == 0 && len(hit) == 0 && found == want && enough)
}

func problemKinds(t *testing.T) (kinds []problem.Kind) {
	t.Helper()
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, some := range a.Problems() {
		kinds = append(kinds, some...)
	}
	return kinds
}

// control plants what the bar looks for, one at a time: every message without its German,
// every one with a parameter dropped, every kind of problem without its words, and banned
// words in Go and in a catalog.
func control(t *testing.T, said []text, kinds []problem.Kind, en, de catalogs) (found, planted int) {
	t.Helper()
	count := func(wrong bool) {
		planted++
		if wrong {
			found++
		}
	}
	for _, s := range said {
		count(len(judgeTexts([]text{s}, nil, catalogs{}, catalogs{})) == 1)
		if words := de.texts[s.format]; strings.Contains(words, "{{0") {
			count(wrongPlaces(s.format, place.ReplaceAllString(words, "…")) != "")
		}
	}
	for _, k := range kinds {
		count(len(judgeProblems([]problem.Kind{k}, catalogs{})) == 2)
		k.Message += " {more}"
		count(len(judgeProblems([]problem.Kind{k}, en)) == 1)
	}
	goFile := parse(t, "internal/a/a.go", "package a\n\nvar m = \"this would cut you off\"\n")
	for _, s := range []source{
		goFile,
		{name: "docs/a.md", text: "The rules are looked at."},
		{name: "web/src/ui/messages/en.json", text: `{"a": "What is wrong now"}`},
		{name: "web/src/ui/messages/de.json", text: `{"a": "Dort hört niemand"}`},
	} {
		hit, _ := banned([]source{s})
		count(len(hit) == 1)
	}
	return found, planted
}
