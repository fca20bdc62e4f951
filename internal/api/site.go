package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// site serves the SPA: hashed files below assets/ for a year, everything else is
// the page itself, asked for anew each time, so that an upgrade is seen at once.
// Only these files are compressed; an answer of the API may carry a secret beside
// what a stranger chose, and its compressed length would tell of it.
func site(files fs.FS) http.Handler {
	all := load(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		file, found := all[name]
		asset := strings.HasPrefix(name, "assets/")
		switch {
		case !found && (asset || name == "metrics"):
			// A missing asset must not be answered with a page that the browser takes for a
			// script, nor a collector that looks for figures at the usual place with one at all.
			w.Header().Set("Cache-Control", "no-store")
			http.NotFound(w, r)
		case asset:
			file.serve(w, r, "public, max-age=31536000, immutable")
		case found:
			file.serve(w, r, "no-cache")
		default:
			all["index.html"].serve(w, r, "no-cache")
		}
	})
}

// siteFile is one file of the SPA, compressed when first asked for.
type siteFile struct {
	name   string
	plain  []byte
	packed func() []byte
	etag   string
}

// load reads the files once; they are part of the program. A site that cannot be read is empty.
func load(files fs.FS) map[string]*siteFile {
	all := map[string]*siteFile{"index.html": newSiteFile("index.html", nil)}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if data, err := fs.ReadFile(files, name); err == nil {
				all[name] = newSiteFile(name, data)
			}
		}
		return nil
	})
	return all
}

func newSiteFile(name string, data []byte) *siteFile {
	sum := sha256.Sum256(data)
	return &siteFile{
		name: name, plain: data, etag: hex.EncodeToString(sum[:8]),
		packed: sync.OnceValue(func() []byte { return pack(name, data) }),
	}
}

// pack is nil where packing does not help: fonts and pictures are packed already.
func pack(name string, data []byte) []byte {
	if !strings.Contains(" .html .js .css .svg .json .map ", " "+path.Ext(name)+" ") {
		return nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(data); err != nil || w.Close() != nil || b.Len() >= len(data) {
		return nil
	}
	return b.Bytes()
}

func (f *siteFile) serve(w http.ResponseWriter, r *http.Request, cache string) {
	h := w.Header()
	h.Set("Cache-Control", cache)
	h.Set("Vary", "Accept-Encoding")
	data, tag := f.plain, f.etag
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && f.packed() != nil {
		data, tag = f.packed(), tag+"-gz"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", fmt.Sprintf("%q", tag))
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(data))
}
