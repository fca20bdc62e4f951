// Command packsite writes the files of a folder into a zip archive that is the same whenever and
// wherever it is made. The package carries the browser UI in one: packed, it is a third as large.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: packsite FOLDER ARCHIVE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "packsite:", err)
		os.Exit(1)
	}
}

func run(folder, archive string) error {
	packed, err := pack(os.DirFS(folder))
	if err != nil {
		return err
	}
	return os.WriteFile(archive, packed, 0o644)
}

// pack leaves out hidden files and folders: the build keeps its notes there.
func pack(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch hidden := name != "." && strings.HasPrefix(path.Base(name), "."); {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || d.IsDir():
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	})
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}
