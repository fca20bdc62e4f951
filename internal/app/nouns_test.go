package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"gateway/internal/app"
	"gateway/internal/db"
)

// nouns are the words of the browser for rows, by "table_one" and "table_other": those of ui and of all features.
func nouns(t *testing.T, language string) map[string]string {
	t.Helper()
	web := filepath.Join("..", "..", "web", "src")
	paths, err := filepath.Glob(filepath.Join(web, "features", "*", "messages", language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range append(paths, filepath.Join(web, "ui", "messages", language+".json")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var catalog struct{ Noun map[string]string }
		if err := json.Unmarshal(text, &catalog); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		maps.Copy(all, catalog.Noun)
	}
	return all
}

// A preview, the history and a restore say what rows of a table are called: "Adds RADIUS user ann", not "1 other entry".
func TestTheRowsOfATableHaveAWord(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "de"} {
		words, seen := nouns(t, language), 0
		for _, table := range db.Tables(a.Schemas()) {
			if !table.Configuration() {
				continue
			}
			seen++
			for _, form := range []string{"_one", "_other"} {
				if words[table.Name+form] == "" {
					t.Errorf("%s: no word for the rows of %s: noun.%s in the messages of its feature", language, table.Name, table.Name+form)
				}
			}
		}
		if seen < 40 {
			t.Errorf("only %d tables of the configuration were found", seen)
		}
	}
}
