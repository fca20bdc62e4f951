package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"gateway/internal/backup/archive"
	"gateway/internal/secret/privatefile"
)

// Folder is where the archives are, below the state folder.
const Folder = "backups"

// StateFiles are those below the state folder that belong to a backup, and the only ones that a restore
// writes. The key of the sealed columns is among them: without it the rows would be of no use.
// The codes for the first sign-in, the queue of the audit log, the samples of the graphs and the keys
// of the backups stay where they are.
var StateFiles = []string{"setup.json", "master.key", "jwt.secret"}

// ReadFiles reads the state files of a folder. One that was not made yet is left out.
func ReadFiles(folder string) ([]archive.File, error) {
	var files []archive.File
	for _, name := range StateFiles {
		data, err := privatefile.Read(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the state files: %w", err)
		}
		files = append(files, archive.File{Name: name, Data: data})
	}
	return files, nil
}
