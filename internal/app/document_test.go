package app_test

import (
	"bytes"
	"os"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/app"
)

// The browser UI's types are generated from a copy of the document; an old copy
// would let the two drift apart unseen.
func TestTheBrowserUIKnowsTheCurrentDocument(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(want)) {
		t.Error("web/openapi.json is not what the API describes; run make openapi")
	}
}

func TestEveryOperationAndPropertyIsDescribed(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	lacking, all, err := apitest.Undescribed(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range lacking {
		t.Errorf("no description: %s", what)
	}
	if all < 1000 {
		t.Errorf("looked at %d operations, parameters and properties: this is not the whole document", all)
	}
}
