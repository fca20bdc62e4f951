// Package bundle makes support bundles: one archive with what an operator sends to a colleague or a vendor to have
// something found out. It knows no area: components declare their files (component.Support), and all of them are made of
// what every account may read by the API. Who may have a bundle, and that the audit log says so, is left to package diag.
package bundle

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
	"time"

	"gateway/internal/component"
	"gateway/internal/export"
)

const (
	// Folder is the one that everything in the archive is in.
	Folder = "gateway-support"
	// ManifestFile says what is in the bundle, and what is not. It is the last file: only then is that known.
	ManifestFile      = "manifest.json"
	readmeFile        = "README.txt"
	configurationFile = "configuration.yaml"
)

const readme = `Support bundle of a gateway node.

manifest.json       version, node, time, and of each file how it came about
configuration.yaml  the configuration, as "gateway-ctl export" prints it
*/                  one folder for each area of the product

A file that could not be made says why. There are no passwords, private keys, tokens or other secrets in it, and no
files that hold some. There are names and addresses of the network, and texts as operators entered them.
`

// leftOut is what no bundle has.
var leftOut = []string{
	"passwords, private keys, tokens and other secrets",
	"configuration files that hold secrets",
	"the access log of the reverse proxy, the request log of the forward proxy and the packet log",
	"the audit log",
	"DHCP leases, also in the log of the DHCP server, and RADIUS sign-ins",
	"archives of backups and packet captures",
	"settings of alert channels, off-site targets and accounts; names of them appear in the history and in states",
}

// Limits bound a bundle.
type Limits struct {
	// File and All are bytes before compression, of one file and of all.
	File, All int
	// Source is how long a file may take, and Area all files of one area.
	Source, Area time.Duration
	// AtOnce is how many areas are read at the same time; of one area, one file after the other.
	AtOnce int
}

// Defaults are the limits of a node.
func Defaults() Limits {
	return Limits{File: 8 << 20, All: 64 << 20, Source: 10 * time.Second, Area: 20 * time.Second, AtOnce: 4}
}

// Maker makes bundles.
type Maker struct {
	Components func() []component.Component
	// Managed are the components whose configuration goes to a daemon: theirs is exported.
	Managed func(name string) bool
	// Node is the id of this machine, and Hostname its name.
	Node, Version string
	Hostname      func() string
	Limits        Limits
	Now           func() time.Time
	Log           *slog.Logger
}

// Manifest says what is in a bundle.
type Manifest struct {
	Product  string    `json:"product"`
	Version  string    `json:"version"`
	Node     string    `json:"node"`
	Hostname string    `json:"hostname"`
	MadeAt   time.Time `json:"made_at"`
	MadeBy   string    `json:"made_by"`
	Files    []File    `json:"files"`
	LeftOut  []string  `json:"left_out"` // of every bundle
}

// File is one file of a bundle.
type File struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Took  int64  `json:"took_ms"`
	// Error says why it is not what it should be; empty if it is.
	Error string `json:"error,omitempty"`
}

// Name is that of a bundle made now.
func (m Maker) Name() string {
	host := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, m.Hostname())
	return Folder + "-" + host + "-" + m.Now().UTC().Format("20060102T150405Z") + ".tar.gz"
}

// Write makes a bundle for whoever it is made by. It fails when it cannot be written, and never for what is in it.
func (m Maker) Write(ctx context.Context, w io.Writer, by string, get component.Get) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	zipped := gzip.NewWriter(w)
	a := &archive{tar: tar.NewWriter(zipped), at: m.Now(), limits: m.Limits}
	about := Manifest{
		Product: "gateway", Version: m.Version, Node: m.Node, Hostname: m.Hostname(), MadeAt: a.at.UTC(), MadeBy: by, Files: []File{}, LeftOut: leftOut,
	}
	err := a.add(readmeFile, []byte(readme))
	for one := range m.read(ctx, get) {
		if err != nil {
			continue // until those who read have heard that it is over
		}
		var f File
		if f, err = a.take(one, m.Log); err != nil {
			cancel()
		}
		about.Files = append(about.Files, f)
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("make the support bundle: %w", err)
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return fmt.Errorf("make the manifest: %w", err)
	}
	if err := errors.Join(a.add(ManifestFile, append(text, '\n')), a.tar.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("make the support bundle: %w", err)
	}
	return nil
}

// area is what is read one after the other: an area that hangs is waited for once, and nobody asks it twice at a time.
type area struct {
	folder string
	files  []component.Support
}

func (m Maker) areas() []area {
	all := []area{{files: []component.Support{{File: configurationFile, Read: m.configuration}}}}
	for _, c := range m.Components() {
		if len(c.Support) > 0 {
			all = append(all, area{c.Name, c.Support})
		}
	}
	return all
}

// Names are those of the files that areas make, the same for every bundle of one version.
func (m Maker) Names() (names []string) {
	for _, a := range m.areas() {
		for _, f := range a.files {
			names = append(names, path.Join(a.folder, f.File))
		}
	}
	return names
}

func (m Maker) configuration(ctx context.Context, get component.Get) ([]byte, error) {
	var managed []component.Component
	for _, c := range m.Components() {
		if m.Managed(c.Name) {
			managed = append(managed, c)
		}
	}
	return export.Write(ctx, export.Getter(get), managed)
}
