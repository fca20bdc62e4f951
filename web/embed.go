//go:build !packed

// Package web carries the built SPA inside gateway-api. Without a build it carries
// a page that says so, so that the Go code compiles without Node. "make deb" builds
// with the tag packed, and then it carries the archive that packsite made of the same files.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist placeholder
var files embed.FS

// Site is the built SPA: index.html and assets/.
func Site() fs.FS {
	folder := "dist"
	if _, err := fs.Stat(files, "dist/index.html"); err != nil {
		folder = "placeholder"
	}
	site, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // both folders are embedded
	}
	return site
}
