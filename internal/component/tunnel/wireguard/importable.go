package wireguard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	// ImportableVerb answers the Files of wg-quick, which only root may read.
	ImportableVerb = "importable"
	// importFolder is where wg-quick has them.
	importFolder = "/etc/wireguard"
	// What bounds the answer: the number of files, the length of one, and that of all.
	maxFiles = 200
	maxFile  = 1 << 20
	maxAll   = 4 << 20
)

// Files is what ImportableVerb answers.
type Files struct {
	Files []File `json:"files"`
}

// File is one of wg-quick's. Text holds private keys.
type File struct {
	Name string `json:"name"` // of the interface
	Text string `json:"text"`
	// TooLong says that it was not read.
	TooLong bool `json:"too_long,omitempty"`
}

func (d *tunnels) importable(context.Context, json.RawMessage) (any, error) {
	files, err := readFiles(d.ImportFolder)
	return Files{files}, err
}

// readFiles reads regular files below a folder; a link out of it is not followed.
func readFiles(folder string) ([]File, error) {
	out := []File{}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the folder of wg-quick: %w", err)
	}
	defer root.Close()
	names, err := fs.Glob(root.FS(), "*.conf")
	if err != nil {
		return nil, fmt.Errorf("list the files of wg-quick: %w", err)
	}
	slices.Sort(names)
	sum := 0
	for _, name := range names[:min(len(names), maxFiles)] {
		f := File{Name: strings.TrimSuffix(name, ".conf")}
		text, err := readFile(root, name)
		if err != nil {
			continue // a folder, a link to elsewhere, or gone meanwhile
		}
		if sum += len(text); len(text) > maxFile || sum > maxAll {
			f.TooLong = true
		} else {
			f.Text = string(text)
		}
		out = append(out, f)
	}
	return out, nil
}

func readFile(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, fs.ErrInvalid
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}
