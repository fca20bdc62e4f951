package daemon

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"gateway/internal/fault"
	"gateway/internal/secret"
)

// Rendering is what a component's rows become.
type Rendering struct {
	Files []File
	// Units are those that are up or down by the operator's word. Down means stopped, also
	// after the next boot. A unit that is not among them is as packaging has it: up.
	Units []Unit
	// Problems are what could not be rendered and was left out, so that the rest is not lost with it.
	Problems []Problem

	// state is what it was rendered from; nil where it was read from disk.
	state any

	// Once Hashed: of the files, and where each is.
	hash  string
	index map[string]int
}

// Unit is a systemd unit, and whether it is to run.
type Unit struct {
	Name string `json:"name"`
	Up   bool   `json:"up"`
}

// Off reports whether the rendering has units and none of them is up.
func (r Rendering) Off() bool {
	return len(r.Units) > 0 && !slices.ContainsFunc(r.Units, func(u Unit) bool { return u.Up })
}

// None reports whether there is nothing rendered: neither a file nor a word about a unit. A
// daemon that is off may need no file.
func (r Rendering) None() bool { return len(r.Files) == 0 && len(r.Units) == 0 }

// File is one managed file. Whoever installs it adds a last line with a hash of the rest, after "# ".
type File struct {
	Path string
	// Group is who may read it beside root, where the daemon does not begin as root.
	Group string
	Mode  fs.FileMode
	Data  []byte
	// Long is one that nobody reads: previews and the history tell its versions apart, and no more.
	Long bool
}

// Confidential reports whether the file holds secrets: then nobody but root, and the group
// that it was given to, may read it, and neither a preview nor the history shows what is in it.
func (f File) Confidential() bool {
	return f.Mode.Perm()&0o077 == 0 || f.Group != "" && f.Mode.Perm()&0o007 == 0
}

// Text is the file as it may be shown. Of a confidential one it tells versions apart, by a
// key that nobody has: a bare hash of a weak password is as good as the password.
func (f File) Text() string {
	if f.Long && !f.Confidential() {
		return fmt.Sprintf("(content not shown: it is long; %d bytes, version %x)\n", len(f.Data), sha256.Sum256(f.Data))
	}
	if !f.Confidential() {
		return string(f.Data)
	}
	h := hmac.New(sha256.New, textKey())
	h.Write(f.Data)
	return fmt.Sprintf("(content not shown: it holds secrets; version %x)\n", h.Sum(nil)[:4])
}

var textKey = sync.OnceValue(func() []byte { return []byte(rand.Text()) })

// Problem is one object that was left out.
type Problem struct {
	Subject string `json:"subject" doc:"What was skipped, in the operator's words"`
	fault.Sentence
	// Tolerated is one that does not refuse the change that brought it: the operator was told.
	Tolerated bool `json:"-"`
}

// Invalid is the problem of an object whose values a rule refuses, each with its field.
func Invalid(subject string, err error) Problem {
	f, _ := fault.Of(err)
	messages := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		messages[i] = field.Name + " " + field.Message
	}
	said := fault.Sentence{Message: strings.Join(messages, "; ")}
	if len(f.Fields) == 1 {
		said.Words = f.Fields[0].Words
	}
	return Problem{Subject: subject, Sentence: said}
}

// Same reports whether another one says the same.
func (p Problem) Same(other Problem) bool {
	return p.Subject == other.Subject && p.Message == other.Message && p.Tolerated == other.Tolerated
}

// Unseal opens a sealed secret. A preview passes one that answers "<redacted>".
type Unseal func(sealed []byte, where secret.Place) (secret.Text, error)

// From is the state that the rendering was made from, if it is known.
func From[S any](r Rendering) (state S, ok bool) {
	state, ok = r.state.(S)
	return state, ok
}

// WithoutState is the rendering for keeping: what it was made from may be as long again.
func (r Rendering) WithoutState() Rendering {
	r.state = nil
	return r
}

// Same reports whether the rendering has this very file.
func (r Rendering) Same(f File) bool {
	i := r.find(f.Path)
	return i >= 0 && r.Files[i].Mode == f.Mode && r.Files[i].Group == f.Group && bytes.Equal(r.Files[i].Data, f.Data)
}

// UnitsPath stands for the units among the files, where renderings are shown or compared.
const UnitsPath = "(systemd units)"

// UnitsText is which units are up, a line each; empty where the operator has no word in it.
func (r Rendering) UnitsText() string {
	var b strings.Builder
	for _, u := range r.Units {
		fmt.Fprintf(&b, "%s %s\n", u.Name, map[bool]string{true: "on", false: "off"}[u.Up])
	}
	return b.String()
}

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

// Rehashed is the rendering after its units were changed.
func (r Rendering) Rehashed() Rendering {
	r.hash = ""
	return r.Hashed()
}

// Sharing is the rendering with the contents that another one has too kept once: a hundred
// thousand records of which one changed are several files, and most of them the same.
func (r Rendering) Sharing(other Rendering) Rendering {
	r.Files = slices.Clone(r.Files) // whoever rendered them may hold them too
	for i, f := range r.Files {
		if data := other.File(f.Path); data != nil && bytes.Equal(data, f.Data) {
			r.Files[i].Data = data
		}
	}
	return r
}

// Hash tells renderings apart; it is empty for none.
func (r Rendering) Hash() string {
	if r.hash != "" || r.None() {
		return r.hash
	}
	h := sha256.New()
	for _, u := range r.Units {
		fmt.Fprintf(h, "unit %s %t\n", u.Name, u.Up)
	}
	for _, f := range r.Files {
		fmt.Fprintf(h, "%s %o %d\n", f.Path, f.Mode, len(f.Data))
		if f.Group != "" {
			fmt.Fprintf(h, "group %s\n", f.Group)
		}
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
