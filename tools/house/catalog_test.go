package house

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// catalogs are the browser's words for what the server says, in one language.
type catalogs struct {
	texts map[string]string // by format
	nouns map[string]string
	keys  map[string]string // everything, by "feature:path.to.key"
}

// readCatalogs reads those of one language, and what two of them have.
func readCatalogs(all []source, language string) (c catalogs, twice []string) {
	c = catalogs{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, s := range all {
		folder, ok := strings.CutSuffix(s.name, "/messages/"+language+".json")
		if !ok {
			continue
		}
		var content map[string]any
		if err := json.Unmarshal([]byte(s.text), &content); err != nil {
			twice = append(twice, s.name+": "+err.Error())
			continue
		}
		owner := folder[strings.LastIndexByte(folder, '/')+1:]
		c.flatten(owner+":", content)
		for block, into := range map[string]map[string]string{"texts": c.texts, "noun": c.nouns} {
			words, _ := content[block].(map[string]any)
			for key, value := range words {
				if _, there := into[key]; there {
					twice = append(twice, fmt.Sprintf("%s: another catalog has %q too", s.name, key))
				}
				into[key], _ = value.(string)
			}
		}
	}
	return c, twice
}

func (c catalogs) flatten(prefix string, content map[string]any) {
	for key, value := range content {
		switch value := value.(type) {
		case string:
			c.keys[prefix+key] = value
		case map[string]any:
			c.flatten(prefix+key+".", value)
		}
	}
}

var place = regexp.MustCompile(`\{\{([^}]*)\}\}`)

// wrongPlaces says what a translation does not fill in, or cannot.
func wrongPlaces(format, words string) string {
	var got, want []string
	for _, m := range place.FindAllStringSubmatch(words, -1) {
		at, form, _ := strings.Cut(m[1], ", ")
		if form != "" && form != "noun" && form != "text" && form != "action" {
			return "there is no form " + strconv.Quote(form)
		}
		got = append(got, at)
	}
	for i := range verb.FindAllString(format, -1) {
		want = append(want, strconv.Itoa(i))
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		return fmt.Sprintf("has the parameters %v, the server sends %v", got, want)
	}
	return ""
}

// judgeTexts holds the catalogs against what the server says. German has every text; English
// has those that the page words otherwise than the API.
func judgeTexts(found []text, things []string, en, de catalogs) (wrong []string) {
	said := map[string]bool{}
	for _, f := range found {
		said[f.format] = true
		if de.texts[f.format] == "" {
			wrong = append(wrong, fmt.Sprintf("%s: no German for %q", f.at, f.format))
		}
	}
	for _, noun := range things {
		if de.nouns[noun] == "" {
			wrong = append(wrong, fmt.Sprintf("no German for the noun %q", noun))
		}
	}
	for language, c := range map[string]catalogs{"en": en, "de": de} {
		for format, words := range c.texts {
			if !said[format] {
				wrong = append(wrong, fmt.Sprintf("%s: nobody says %q", language, format))
			} else if why := wrongPlaces(format, words); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s: %q %s", language, format, why))
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// The browser looks a message up by its format. One without an entry is shown in English, and
// an entry that nobody asks for is what its successor lacks.
func TestEveryMessageOfTheServerIsInTheCatalogs(t *testing.T) {
	all := tree(t)
	found, broken := texts(all)
	en, twiceEn := readCatalogs(all, "en")
	de, twiceDe := readCatalogs(all, "de")
	for _, wrong := range slices.Concat(broken, twiceEn, twiceDe, judgeTexts(found, nouns(all), en, de)) {
		t.Error(wrong)
	}
	if len(found) < 350 {
		t.Errorf("only %d messages were found", len(found))
	}
}

// planted is a file of the product that says three things, one of them in a way that cannot
// be looked up.
const planted = `package a

func f(p *fault.Problems, name string) error {
	p.Add("name", "must not be %s", name)
	p.Add("name", name)
	return fault.New(fault.Conflict, "%q is used "+"by %d", name, 3)
}`

func TestWhatACatalogLacksIsFound(t *testing.T) {
	found, broken := texts([]source{parse(t, "internal/a/a.go", planted)})
	if len(found) != 2 || len(broken) != 1 {
		t.Fatalf("%d messages and %d broken ones in the planted file, want 2 and 1", len(found), len(broken))
	}
	good := map[string]string{"must not be %s": "nicht {{0}}", "%q is used by %d": "{{1}} verwenden {{0, noun}}"}
	none := catalogs{}
	for _, tc := range []struct {
		name string
		de   map[string]string
		want int
	}{
		{"all is there", good, 0},
		{"one is missing", map[string]string{"must not be %s": "nicht {{0}}"}, 1},
		{"a parameter is dropped", map[string]string{"must not be %s": "nicht {{0}}", "%q is used by %d": "{{1}} verwenden es"}, 1},
		{"a parameter is made up", map[string]string{"must not be %s": "nicht {{0}} {{1}}", "%q is used by %d": "{{1}} {{0}}"}, 1},
		{"a form is made up", map[string]string{"must not be %s": "nicht {{0, verb}}", "%q is used by %d": "{{1}} {{0}}"}, 1},
		{"one is stale", map[string]string{"must not be %s": "nicht {{0}}", "%q is used by %d": "{{1}} {{0}}", "gone": "fort"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if wrong := judgeTexts(found, nil, none, catalogs{texts: tc.de}); len(wrong) != tc.want {
				t.Errorf("found %q, want %d", wrong, tc.want)
			}
		})
	}
}
