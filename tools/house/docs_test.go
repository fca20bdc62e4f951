package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var directRequire = regexp.MustCompile(`(?m)^\t([^\s]+) v[^\s]+$`)

func TestEveryModuleIsExplained(t *testing.T) {
	page := read(t, "docs/dependencies.md")
	for _, m := range directRequire.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if !strings.Contains(page, "`"+m[1]+"`") {
			t.Errorf("docs/dependencies.md does not say what %s is for", m[1])
		}
	}
}

var pageLink = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	for _, s := range tree(t) {
		if !s.is(".md") {
			continue
		}
		for _, m := range pageLink.FindAllStringSubmatch(s.text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", path.Dir(s.name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", s.name, m[1])
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A picture that no page shows is a picture that nobody renews.
func TestEveryPictureIsShown(t *testing.T) {
	var pages strings.Builder
	for _, s := range tree(t) {
		if s.is(".md") {
			pages.WriteString(s.text)
		}
	}
	pictures, err := os.ReadDir("../../docs/images")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		if !strings.Contains(pages.String(), "images/"+p.Name()) {
			t.Errorf("no page shows docs/images/%s", p.Name())
		}
	}
}
