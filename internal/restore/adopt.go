package restore

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// adopt copies an archive that an operator brought into the folder of the archives, once its MAC was seen to be
// right. The key of another node's archive comes beside it, and last: no key is ever beside an archive that it is not of.
func (w Worker) adopt(passphrase string) (reply, error) {
	opening, foreign, err := w.foreign(passphrase)
	if err != nil {
		return reply{}, err
	}
	h, err := w.header()
	if err != nil {
		return reply{}, err
	}
	if err := os.MkdirAll(filepath.Join(w.Folder.Dir, backup.Folder), 0o700); err != nil {
		return reply{}, err
	}
	path := filepath.Join(w.Folder.Dir, ArchivePath(h.ID))
	there, err := w.isAt(path)
	if err != nil {
		return reply{}, err
	}
	if !there {
		if err := w.roomFor(filepath.Dir(path)); err != nil {
			return reply{}, err
		}
		if err := w.copyTo(path); err != nil {
			return reply{}, err
		}
	}
	return reply{ID: h.ID}, w.putKeys(h.ID, opening, foreign)
}

func (w Worker) putKeys(id string, o archive.Opening, foreign bool) error {
	path := filepath.Join(w.Folder.Dir, KeysPath(id))
	if !foreign {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	secret, err := o.Reveal()
	if err != nil {
		return err
	}
	return privatefile.Replace(path, secret, 0o400)
}

// isAt reports whether the archive is at path already. Another one there is refused: the id is whatever the maker of
// an archive wrote, and nobody's backup is replaced by it.
func (w Worker) isAt(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := w.Archive.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	own, brought := sha256.New(), sha256.New()
	_, err1 := io.Copy(own, f)
	_, err2 := io.Copy(brought, w.Archive)
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	if !bytes.Equal(own.Sum(nil), brought.Sum(nil)) {
		return false, fault.Say("this node has another archive with the id of this one: delete that backup first")
	}
	return true, nil
}

func (w Worker) header() (archive.Header, error) {
	if w.Archive == nil {
		return archive.Header{}, errors.New("no archive was handed over")
	}
	if _, err := w.Archive.Seek(0, io.SeekStart); err != nil {
		return archive.Header{}, err
	}
	return archive.ReadHeader(w.Archive)
}

// foreign finds the key that the archive was made with: this node's, or the one behind the passphrase.
func (w Worker) foreign(passphrase string) (o archive.Opening, foreign bool, err error) {
	h, err := w.header()
	if err != nil {
		return o, false, err
	}
	if passphrase == "" {
		if o, err = w.opening(h.ID); err != nil {
			return o, false, err
		}
		there, err := exists(filepath.Join(w.Folder.Dir, KeysPath(h.ID)))
		if err != nil {
			return o, false, err
		}
		if err := archive.Verify(w.Archive, o); err != nil {
			return o, false, errors.Join(fault.Say("the archive is damaged, or from another node: then its passphrase is needed"), err)
		}
		return o, there, nil
	}
	if o, err = backup.FromPassphrase(h, passphrase); err != nil {
		return o, false, err
	}
	return o, true, archive.Verify(w.Archive, o)
}

// ImportSuffix ends the name of an archive that is being copied beside the others. It is not that of one that is being made, of
// which whoever has the lock removes what a kill left.
const ImportSuffix = ".import"

// copyTo copies the archive under another name first: nothing half is ever called an archive.
func (w Worker) copyTo(path string) (err error) {
	if _, err := w.Archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	f, err := os.OpenFile(path+ImportSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, w.Archive)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path+ImportSuffix))
	}
	if err := os.Rename(path+ImportSuffix, path); err != nil {
		return err
	}
	return privatefile.SyncDir(filepath.Dir(path))
}
