// Package sbom lists what the Debian package is made of, as CycloneDX: the Go modules that
// the linker took, and what the browser UI is built from. Writing it into the package is
// left to the Makefile.
package sbom

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// Document is a bill of materials. It says no time and no serial number: the same package has the same one.
type Document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   Metadata    `json:"metadata"`
	Components []Component `json:"components"`
}

// Metadata names what the document is about.
type Metadata struct {
	Component Component `json:"component"`
}

// Component is one piece of software.
type Component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl,omitempty"`
	Hashes   []Hash    `json:"hashes,omitempty"`
	Licenses []License `json:"licenses,omitempty"`
}

// Hash is a digest of what was fetched.
type Hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// License is an SPDX expression.
type License struct {
	Expression string `json:"expression"`
}

// New lists what is linked into the programs and, by npm's lock file, into the UI.
func New(version string, programs []string, lock []byte) (Document, error) {
	d := Document{Format: "CycloneDX", Spec: "1.6", Version: 1}
	d.Metadata.Component = Component{Type: "application", Ref: "gateway", Name: "gateway", Version: version, Licenses: []License{{"Apache-2.0"}}}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return Document{}, fmt.Errorf("read what %s is built from: %w", program, err)
		}
		d.Components = append(d.Components, modules(info)...)
	}
	web, err := packages(lock)
	if err != nil {
		return Document{}, err
	}
	d.Components = append(d.Components, web...)
	slices.SortFunc(d.Components, func(a, b Component) int { return strings.Compare(a.Ref, b.Ref) })
	d.Components = slices.CompactFunc(d.Components, func(a, b Component) bool { return a.Ref == b.Ref })
	return d, nil
}

// modules are those of a program, and Go's own library.
func modules(info *debug.BuildInfo) []Component {
	all := []Component{library("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, library("golang", m.Path, m.Version))
	}
	return all
}

func library(kind, name, version string) Component {
	purl := "pkg:" + kind + "/" + strings.ReplaceAll(name, "@", "%40") + "@" + url.PathEscape(version)
	return Component{Type: "library", Ref: purl, Name: name, Version: version, PURL: purl}
}

// packages are those that npm installs without the tools for development.
func packages(lock []byte) ([]Component, error) {
	var file struct {
		Packages map[string]struct {
			Version     string `json:"version"`
			Integrity   string `json:"integrity"`
			License     string `json:"license"`
			Dev         bool   `json:"dev"`
			DevOptional bool   `json:"devOptional"`
			Optional    bool   `json:"optional"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return nil, fmt.Errorf("read npm's lock file: %w", err)
	}
	var all []Component
	for place, p := range file.Packages {
		_, name, nested := cutLast(place, "node_modules/")
		if !nested || p.Dev || p.DevOptional || p.Optional {
			continue
		}
		c := library("npm", name, p.Version)
		if digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-")); err == nil && len(digest) == 64 {
			c.Hashes = []Hash{{"SHA-512", hex.EncodeToString(digest)}}
		}
		if p.License != "" {
			c.Licenses = []License{{p.License}}
		}
		all = append(all, c)
	}
	return all, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Missing names what a program says of itself, by the linker's own list, that the document
// leaves out.
func Missing(d Document, program string) ([]string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read what %s is built from: %w", program, err)
	}
	have := map[string]bool{}
	for _, c := range d.Components {
		have[c.Name+" "+c.Version] = true
	}
	var missing []string
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		if name := m.Path + " " + m.Version; !have[name] {
			missing = append(missing, name)
		}
	}
	return missing, nil
}
