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
			for _, m := range regexp.MustCompile("`([a-z0-9/<>]+)`").FindAllStringSubmatch(names, -1) {
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

// upward are the imports that go up in the table, or from the left column to the right, and
// packages without a place in it.
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
		if strings.HasSuffix(from, "test") || strings.HasPrefix(from, "component/all/") {
			continue
		}
		if !known {
			wrong = append(wrong, from+" is not in the table")
			continue
		}
		for _, word := range words[1:] {
			name, ours := strings.CutPrefix(word, internalFolder)
			to, known := layerOf(all, name)
			if !ours || !known {
				continue
			}
			seen++
			if to.inAPI && !at.inAPI || to.line < at.line && area(from) != area(name) {
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

// walk is a change that the page describes, and the test that makes it.
type walk struct {
	name, pkg, test string
	named           []string // files of the page, in their order
	// most is how many files it may pass, by what only a change runs: fewer than were read on
	// the way before there were two contracts, 45 and 55.
	most int
	// elsewhere are files of the page that only other circumstances lead to.
	elsewhere []string
}

// walks reads the page. What the others share with the domain is told there.
func walks(t *testing.T, page string) []walk {
	t.Helper()
	_, text, found := strings.Cut(page, "## What happens on `POST /domains`")
	domains, rule, second := strings.Cut(text, "A firewall rule takes the same way")
	rule, route, third := strings.Cut(rule, "A route takes the same way")
	if !found || !second || !third {
		t.Fatal("the walks are gone")
	}
	own := regexp.MustCompile(`/(proxy|haproxyconf|haproxy)/`)
	of := walked(t, domains)
	shared := slices.DeleteFunc(slices.Clone(of), own.MatchString)
	return []walk{
		{name: "a domain", pkg: "gateway/internal/component/proxy/haproxyconf", test: "TestTheWayOfADomain", named: of, most: 44},
		{
			name: "a firewall rule", pkg: "gateway/internal/component/firewall/filter", test: "TestTheWayOfARule", named: slices.Concat(shared, walked(t, rule)), most: 54,
			// A caller who comes by the network, and a rule that only adds to sets.
			elsewhere: []string{"packetfilter/explain.go", "packetfilter/delta.go"},
		},
		{
			name: "a route", pkg: "gateway/internal/component/network", test: "TestTheWayOfARoute", named: slices.Concat(shared, walked(t, route)), most: 54,
			elsewhere: []string{"component/network/netstate/session.go"}, // a caller who comes by the network
		},
	}
}

// follow makes the change, and tells which files of the page it did not pass. Building the test
// takes a minute or two, which the gate does not have.
func (w walk) follow(t *testing.T) (figure string, few bool, lies []string) {
	t.Helper()
	if bar.GateSize(0, 1, 1) == 0 {
		return fmt.Sprintf("%s: %d files told", w.name, len(w.named)), true, nil
	}
	d := trace(t, w.pkg, w.test)
	passed := filesOf(d.change)
	for _, f := range w.named {
		name := strings.TrimPrefix(f, "../")
		if !slices.Contains(passed, name) && !slices.Contains(w.elsewhere, name) {
			lies = append(lies, fmt.Sprintf("%s does not pass %s, which docs/architecture.md tells of", w.name, name))
		}
	}
	t.Logf("%s passes %v", w.name, passed)
	return fmt.Sprintf("%s: %d files told, functions of %d run, in %d of them such as no read and no idle round runs", w.name, len(w.named), len(passed), len(d.beyond())), len(d.beyond()) <= w.most, lies
}

// controls are tables with something wrong.
func controls(t *testing.T, page string) (found []int) {
	t.Helper()
	for _, spoil := range []func(map[string]layer){
		func(all map[string]layer) { all["db"] = layer{1, false} }, // above all others
		func(all map[string]layer) { delete(all, "fault") },        // forgotten
		func(all map[string]layer) { // the daemon's half imports the API's
			all["component/<name>"], all["component/<name>/<daemon>"] = all["component/<name>/<daemon>"], all["component/<name>"]
		},
	} {
		all := layers(page)
		spoil(all)
		wrong, _ := upward(t, all)
		found = append(found, len(wrong))
	}
	return found
}

// A change goes from the request to the daemon by the files that the page tells of, and by no
// detours: what it runs is counted.
func TestBarCarry07TheWalkOfAChange(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	ok := true
	var figures []string
	for _, w := range walks(t, page) {
		figure, few, lies := w.follow(t)
		for _, l := range lies {
			t.Error(l)
		}
		figures = append(figures, figure)
		ok = ok && few && len(lies) == 0 && len(w.named) > 10 && len(w.named) <= w.most
	}
	wrong, seen := upward(t, layers(page))
	for _, w := range wrong {
		t.Error(w)
	}
	planted := controls(t, page)
	figure := fmt.Sprintf("%s; %d of %d imports between packages go upward (controls, a package above all, one forgotten, the halves of components exchanged: %v)", strings.Join(figures, "; "), len(wrong), seen, planted)
	bar.Report(t, "carry", 7, figure, "clearly fewer than 45 (domain) and 55, 0 upward, controls > 0",
		ok && len(wrong) == 0 && seen > 100 && !slices.Contains(planted, 0))
}
