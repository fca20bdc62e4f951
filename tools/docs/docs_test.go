package docs

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBlocks(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		langs      string
		wrong      int
	}{
		{"a block of sh is run", "```sh\nls\n```\n", "sh", 0},
		{"a block of console says why it is not run", "<!-- not run: needs a reboot -->\n\n```console\nreboot\n```\n", "console", 0},
		{"a block of console without a reason is wrong", "Text.\n\n```console\nreboot\n```\n", "console", 1},
		{"a reason is for the next block only", "<!-- not run: so -->\n```console\na\n```\n```console\nb\n```\n", "console console", 1},
		{"a block without a language is wrong", "```\nls\n```\n", "", 1},
		{"a block of an unknown language is wrong", "```bash\nls\n```\n", "bash", 1},
		{"an excuse does not keep a block of sh from running", "<!-- not run: lazy -->\n```sh\nls\n```\n", "sh", 1},
		{"Go and JSON are no commands", "```go\nx\n```\n```json\n{}\n```\n", "go json", 0},
		{"a block that does not end is wrong", "```sh\nls\n", "", 1},
	} {
		blocks, wrong := Blocks("page.md", tc.text)
		var langs []string
		for _, b := range blocks {
			langs = append(langs, b.Lang)
		}
		if got := strings.Join(langs, " "); got != tc.langs || len(wrong) != tc.wrong {
			t.Errorf("%s: %q and %q, want %q and %d wrong", tc.name, got, wrong, tc.langs, tc.wrong)
		}
	}
}

func TestABlockKnowsItsPlace(t *testing.T) {
	blocks, _ := Blocks("page.md", "# Page\n\n## Install\n\n```sh\nls\npwd\n```\n")
	want := []Block{{Page: "page.md", Line: 6, Heading: "Install", Lang: "sh", Text: "ls\npwd\n"}}
	if !reflect.DeepEqual(blocks, want) {
		t.Errorf("Blocks = %+v, want %+v", blocks, want)
	}
}

const measured = `| bar | size | figure | target | verdict | test |
|---|---|---|---|---|---|
| proxy.4 | ci | 44.5 ms at 10000 domains; engine part 0.42 ms = 1/186 (first 99.9 ms at 10000 domains) | <=50 ms | ok | T |
| engine.1 | ci | 300 kills, 0 lost, settled in 1145 ms | <=5000 ms | ok | T |
`

func TestUnmeasured(t *testing.T) {
	for _, tc := range []struct {
		name, readme string
		missing, all int
	}{
		{"rounded to the digits that are shown", "| beside 10,000 domains | 45 ms | 50 ms | `proxy.4` |", 0, 3},
		{"in another unit", "| 300 kills | 1.1 s, 1,145 ms | 5 s | `engine.1` |", 0, 4},
		{"a fraction is compared as it is written", "| part | 1/186 | | `proxy.4` |", 0, 1},
		{"the figures of two rows", "| 300 kills | 45 ms | | `engine.1`, `proxy.4` |", 0, 2},
		{"another figure", "| beside 10,000 domains | 46 ms | | `proxy.4` |", 1, 2},
		{"another unit", "| beside 10,000 domains | 45 s | | `proxy.4` |", 1, 2},
		{"the figure of another row", "| 300 kills | | | `proxy.4` |", 1, 1},
		{"a small figure is not nothing", "| lost | 0 ms | | `proxy.4` |", 1, 1},
		{"what was said before the second run", "| beside 10,000 domains | 99.9 ms | | `proxy.4` |", 1, 2},
		{"a row without a name", "| 300 kills | 0 lost |", 2, 2},
		{"a figure in the text", "It answers in 3 ms.", 1, 1},
		{"names and code have none", "Debian 13, Go 1.26, HTTP/3 and `make x=1` on [a page](docs/9.md).", 0, 0},
		{"blocks have none", "```sh\nsleep 3\n```", 0, 0},
		{"the conformance", "318 of 628 statements are shown.", 0, 1},
		{"another conformance", "319 of 628 statements are shown.", 2, 2},
	} {
		missing, all := Unmeasured("README.md", tc.readme, measured, "318 of 628")
		if len(missing) != tc.missing || all != tc.all {
			t.Errorf("%s: %q of %d, want %d of %d", tc.name, missing, all, tc.missing, tc.all)
		}
	}
}

func TestMeasuredKeepsTheLinesThatNameRows(t *testing.T) {
	row := "| 300 kills | 45 ms | | `engine.1`, `proxy.4` |"
	if got, want := Measured("In 3 s.\n"+row+"\n| 3 | `make` |"), "\n"+row+"\n"; got != want {
		t.Errorf("Measured = %q, want %q", got, want)
	}
}

func TestNamesOfTheUI(t *testing.T) {
	names, err := ReadNames(fstest.MapFS{
		"features/dns/messages/en.json": {Data: []byte(`{"title": "DNS", "record": {"create": "Create record"}}`)},
		"features/dns/messages/de.json": {Data: []byte(`{"title": "Namen"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := names.Unknown("**DNS** → **Create\nrecord**, then **Namen**.\n```sh\n**x**\n```\n")
	if want := []string{"Namen"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Unknown = %q, want %q", got, want)
	}
}

var problemCode = regexp.MustCompile("`([a-z]+)\\.([a-z0-9_]+)`")

// A code that the guide explains is one that the server reports.
func TestTheOperatorGuideExplainsCodesThatThereAre(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operator-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "| code | what happened | remedy |")
	table, _, _ = strings.Cut(table, "\n\n")
	codes := problemCode.FindAllStringSubmatch(table, -1)
	if len(codes) < 20 {
		t.Errorf("the table has %d codes", len(codes))
	}
	for _, m := range codes {
		text, err := os.ReadFile("../../web/src/features/" + m[1] + "/messages/en.json")
		var catalog struct{ Problems map[string]any }
		if err == nil {
			err = json.Unmarshal(text, &catalog)
		}
		if err != nil || catalog.Problems[m[2]] == nil {
			t.Errorf("no problem is called %s: %v", m[0], err)
		}
	}
}

func TestTheOperatorGuideNamesWhatThePagesShow(t *testing.T) {
	names, err := ReadNames(os.DirFS("../../web/src"))
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/operator-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names.Unknown(string(guide)) {
		t.Errorf("docs/operator-guide.md names **%s**, which no catalog of the UI has", name)
	}
	if got := names.Unknown("**A button that is not there**"); len(got) != 1 {
		t.Errorf("a name that is not there is not found: %q", got)
	}
}
