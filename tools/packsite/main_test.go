package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

func TestPack(t *testing.T) {
	site := fstest.MapFS{
		"index.html":          {Data: []byte("page"), ModTime: time.Now()},
		"assets/app.js":       {Data: []byte("code")},
		".vite/manifest.json": {Data: []byte("{}")},
		".keep":               {},
	}
	packed, err := pack(site)
	if err != nil {
		t.Fatal(err)
	}
	site["index.html"].ModTime = time.Now().Add(-time.Hour)
	if again, err := pack(site); err != nil || !bytes.Equal(again, packed) {
		t.Errorf("the same files make another archive later (%v)", err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != 2 {
		t.Errorf("%d files are packed, want the page and its code", len(r.File))
	}
	for _, name := range []string{"index.html", "assets/app.js"} {
		if data, err := fs.ReadFile(r, name); err != nil || !bytes.Equal(data, site[name].Data) {
			t.Errorf("%s = %q, %v", name, data, err)
		}
	}
}
