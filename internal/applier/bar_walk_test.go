package applier

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

const internalFolder = "gateway/internal/"

// layers reads the table of docs/architecture.md: by package its line, counted from the top,
// and whether it is in the column of the API.
func layers(page string) map[string]layer {
	_, table, _ := strings.Cut(page, "## Packages")
	table, _, _ = strings.Cut(table, "\n## ")
	out := map[string]layer{}
	line := 0
	for text := range strings.Lines(table) {
		cells := strings.Split(text, "|")
		if len(cells) != 4 || !strings.Contains(text, "`") {
			continue
		}
		line++
		for column, cell := range cells[1:3] {
			names, rest, _ := strings.Cut(cell, ":") // what follows says what it is for
			if strings.Contains(rest, "`") && !strings.Contains(names, "`") {
				names = cell
			}
			for _, m := range regexp.MustCompile("`([a-z/<>]+)`").FindAllStringSubmatch(names, -1) {
				out[m[1]] = layer{line, column == 1}
			}
		}
	}
	return out
}

type layer struct {
	line  int
	inAPI bool
}

// layerOf finds a package's, as "component/<name>" for those.
func layerOf(all map[string]layer, path string) (layer, bool) {
	parts := strings.Split(path, "/")
	if parts[0] == "component" && len(parts) > 1 && all[path] == (layer{}) {
		path = "component/<name>"
		if len(parts) > 2 {
			path = "component/<name>/<daemon>"
		}
	}
	for ; path != "."; path = filepath.Dir(path) {
		if l, ok := all[path]; ok {
			return l, true
		}
	}
	return layer{}, false
}

// area is the part of a path whose packages are side by side: a component, or a package with
// what is below it.
func area(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if parts[0] == "component" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// upward are the imports that go up in the table, or from the left column to the right.
func upward(t *testing.T, all map[string]layer) (wrong []string, seen int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, internalFolder+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := strings.TrimPrefix(words[0], internalFolder)
		at, known := layerOf(all, from)
		if !known || strings.HasSuffix(from, "test") || strings.HasPrefix(from, "component/all/") {
			continue
		}
		for _, word := range words[1:] {
			name, ours := strings.CutPrefix(word, internalFolder)
			to, known := layerOf(all, name)
			if !ours || !known || area(from) == area(name) {
				continue
			}
			seen++
			if to.line < at.line || to.inAPI && !at.inAPI {
				wrong = append(wrong, from+" imports "+name)
			}
		}
	}
	return wrong, seen
}

var fileName = regexp.MustCompile("`([a-z/_]+\\.go)`")

// walked are the files that a text names, in their order. One without a folder is in that of
// a file before it.
func walked(t *testing.T, text string) []string {
	t.Helper()
	var files, folders []string
	for _, m := range fileName.FindAllStringSubmatch(text, -1) {
		name, found := m[1], ""
		candidates := []string{"..", "../component", "../component/proxy", "../component/firewall"}
		if !strings.Contains(name, "/") {
			candidates = folders
		}
		for _, folder := range candidates {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				found = filepath.Join(folder, name)
				break
			}
		}
		if found == "" {
			t.Errorf("docs/architecture.md names %s, which is not there", name)
			continue
		}
		folders = append([]string{filepath.Dir(found)}, folders...)
		if !slices.Contains(files, found) {
			files = append(files, found)
		}
	}
	return files
}

// The page says by which files a change goes from the request to the daemon.
func TestBarCarry07TheWalkOfAChange(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, walk, found := strings.Cut(page, "## The way of `POST /domains`")
	domains, rule, second := strings.Cut(walk, "A firewall rule takes the same way")
	rule, route, third := strings.Cut(rule, "A route takes the same way")
	if !found || !second || !third {
		t.Fatal("the walks are gone")
	}
	own := regexp.MustCompile(`/(proxy|haproxyconf|haproxy)/`)
	shared := slices.DeleteFunc(walked(t, domains), own.MatchString)
	nDomains, nRule, nRoute := len(walked(t, domains)), len(shared)+len(walked(t, rule)), len(shared)+len(walked(t, route))
	wrong, seen := upward(t, layers(page))
	for _, w := range wrong {
		t.Error(w)
	}
	control, _ := upward(t, map[string]layer{"db": {1, false}, "daemon": {2, false}})
	figure := fmt.Sprintf("a domain passes %d files, a firewall rule %d, a route %d; %d of %d imports between packages go upward (control, db above daemon: %d)",
		nDomains, nRule, nRoute, len(wrong), seen, len(control))
	bar.Report(t, "carry", 7, figure, "clearly fewer than 45 and 55, 0 upward, control > 0",
		nDomains > 10 && nDomains < 36 && nRule > 10 && nRule < 44 && nRoute > len(shared) && nRoute < 44 && len(wrong) == 0 && seen > 100 && len(control) > 0)
}
