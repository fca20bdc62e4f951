package api

import (
	"bytes"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// site serves the SPA: hashed files below assets/ for a year, everything else is
// the page itself, never cached, so that an upgrade is seen at once.
func site(files fs.FS) http.Handler {
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		info, err := fs.Stat(files, name)
		found := err == nil && !info.IsDir()
		switch {
		case strings.HasPrefix(name, "assets/") && !found:
			// A missing asset must not be answered with a page that the browser takes for a script.
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r)
		case strings.HasPrefix(name, "assets/"):
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			serve.ServeHTTP(w, r)
		case found && name != "index.html":
			w.Header().Set("Cache-Control", "no-cache")
			serve.ServeHTTP(w, r)
		default:
			w.Header().Set("Cache-Control", "no-cache")
			servePage(w, r, files)
		}
	})
}

// servePage is not http.ServeFileFS, which redirects a path that ends in index.html.
func servePage(w http.ResponseWriter, r *http.Request, files fs.FS) {
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(page))
}
