package component

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"gateway/internal/secret"
)

// Rendering is what a part's rows become.
type Rendering struct {
	Files []File
	// Problems are what could not be rendered and was left out, so that the rest is not lost with it.
	Problems []Problem

	// Once Hashed: of the files, and where each is.
	hash  string
	index map[string]int
}

// File is one managed file. Whoever installs it adds a last line with a hash of the rest, after "# ".
type File struct {
	Path string
	Mode fs.FileMode
	Data []byte
	// Hidden is one that a preview shows nothing of, such as the digests of passwords.
	Hidden bool
}

// Problem is one object that was left out.
type Problem struct {
	Subject string `json:"subject" doc:"What was left out, in the operator's words"`
	Message string `json:"message" doc:"Why"`
	// Tolerated is one that does not refuse the change that brought it: the operator was told.
	Tolerated bool `json:"-"`
}

// Unseal opens a sealed secret. A preview passes one that answers "<redacted>".
type Unseal func(sealed []byte, where secret.Place) (secret.Text, error)

// Hashed is the rendering with its hash kept: files may be many and long, and are not
// changed any more.
func (r Rendering) Hashed() Rendering {
	r.hash = r.Hash()
	if r.index == nil {
		r.index = make(map[string]int, len(r.Files))
		for i, f := range r.Files {
			r.index[f.Path] = i
		}
	}
	return r
}

// Hash tells renderings apart; it is empty for none.
func (r Rendering) Hash() string {
	if r.hash != "" || len(r.Files) == 0 {
		return r.hash
	}
	h := sha256.New()
	for _, f := range r.Files {
		fmt.Fprintf(h, "%s %o %d\n", f.Path, f.Mode, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Has reports whether there is a file with that path.
func (r Rendering) Has(path string) bool {
	return r.find(path) >= 0
}

// File finds the file with that path; it is nil when the rendering has none.
func (r Rendering) File(path string) []byte {
	if i := r.find(path); i >= 0 {
		return r.Files[i].Data
	}
	return nil
}

// find is the place of a file, or -1.
func (r Rendering) find(path string) int {
	if r.index == nil {
		return slices.IndexFunc(r.Files, func(f File) bool { return f.Path == path })
	}
	if i, ok := r.index[path]; ok {
		return i
	}
	return -1
}

// Verb is one privileged act of a part: typed values in, typed values out.
type Verb func(ctx context.Context, in json.RawMessage) (any, error)

// Object is one kind of thing in the exported configuration.
type Object struct {
	Key  string // "zones": where it stands in the document
	Path string // "/dns/zones"
	// Single is a settings object: there is always exactly one.
	Single bool
	// Name are the fields that tell two of them apart.
	Name []string
	// Derived are the fields that the API answers and does not take.
	Derived []string
	// Refs are the fields that hold the id of another object, by the key of that kind in
	// the same part. The document has the name instead: "zone_id" becomes "zone".
	Refs map[string]string
	// Optional are those of them that may be null.
	Optional []string
}
