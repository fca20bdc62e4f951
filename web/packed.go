//go:build packed

package web

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io/fs"
)

//go:embed dist.zip
var packed []byte

// Site is the built SPA: index.html and assets/.
func Site() fs.FS {
	site, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic(err) // it was made by the build
	}
	return site
}
