package docs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// Names is everything that the pages of the UI can show, in English.
type Names map[string]bool

// ReadNames reads the English catalogs below a folder of the browser UI's source.
func ReadNames(source fs.FS) (Names, error) {
	names := Names{}
	err := fs.WalkDir(source, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "messages/en.json") {
			return err
		}
		text, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		var catalog any
		if err := json.Unmarshal(text, &catalog); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		names.add(catalog)
		return nil
	})
	return names, err
}

func (n Names) add(value any) {
	switch v := value.(type) {
	case string:
		n[v] = true
	case map[string]any:
		for _, inner := range v {
			n.add(inner)
		}
	}
}

var bold = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// Unknown returns what a page sets in bold, as names of the UI are, and no page shows.
func (n Names) Unknown(page string) (unknown []string) {
	for _, m := range bold.FindAllStringSubmatch(withoutBlocks(page), -1) {
		if name := strings.Join(strings.Fields(m[1]), " "); !n[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
