package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
	"time"

	"gateway/internal/api"
	"gateway/internal/fault"
)

// archive is one that is being written.
type archive struct {
	tar    *tar.Writer
	at     time.Time
	limits Limits
	bytes  int // of files so far
}

var (
	errLarge  = errors.New("it is larger than a file of a support bundle may be")
	errFull   = errors.New("the support bundle is full")
	errSecret = errors.New("it was left out: something in it looks like a private key")
)

// keys are what secrets look like that no answer of the API has. Somebody may have written one to a log.
var keys = [][]byte{[]byte("PRIVATE KEY-----"), []byte("AGE-SECRET-KEY-1")}

// take adds what came of a file: it, or why there is none.
func (a *archive) take(one made, log *slog.Logger) (File, error) {
	f := File{Name: one.name, Took: one.took.Milliseconds()}
	if one.err == nil {
		one.err = a.judge(one.data)
	}
	if one.err != nil {
		f.Error = told(one, log)
		one.data = instead(one.name, f.Error)
	}
	f.Bytes = len(one.data)
	a.bytes += f.Bytes
	return f, a.add(one.name, one.data)
}

func (a *archive) judge(data []byte) error {
	for _, k := range keys {
		if bytes.Contains(data, k) {
			return errSecret
		}
	}
	switch {
	case len(data) > a.limits.File:
		return errLarge
	case a.bytes+len(data) > a.limits.All:
		return errFull
	}
	return nil
}

// told is what the bundle says of an error: whoever reads it may be a stranger, and the log is not.
func told(one made, log *slog.Logger) string {
	switch f, known := fault.Of(one.err); {
	case known:
		return f.Message
	case errors.Is(one.err, api.ErrAnswerTooLarge):
		return errLarge.Error()
	case errors.Is(one.err, errLarge), errors.Is(one.err, errFull), errors.Is(one.err, errSecret), errors.Is(one.err, errLate):
		return one.err.Error()
	}
	log.Warn("make a file of a support bundle", "file", one.name, "err", one.err)
	return "it failed; the log of gateway-api has the details"
}

// instead is the content of a file that could not be made.
func instead(name, why string) []byte {
	if !strings.HasSuffix(name, ".json") {
		return []byte("not available: " + why + "\n")
	}
	text, _ := json.Marshal(map[string]string{"not_available": why}) // a text can always be encoded
	return append(text, '\n')
}

func (a *archive) add(name string, data []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(Folder, name), Mode: 0o600, Size: int64(len(data)), ModTime: a.at, Format: tar.FormatPAX}
	if err := a.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.tar.Write(data)
	return err
}

// Unpack reads a bundle that this version made: its files by their names, without the folder.
func Unpack(r io.Reader) (map[string][]byte, error) {
	zipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read the support bundle: %w", err)
	}
	files := map[string][]byte{}
	archived := tar.NewReader(io.LimitReader(zipped, 2*int64(Defaults().All)))
	for {
		header, err := archived.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, zipped); err != nil { // the sum of all is at the end
				return nil, fmt.Errorf("read the support bundle: %w", err)
			}
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the support bundle: %w", err)
		}
		data, err := io.ReadAll(archived)
		if err != nil {
			return nil, fmt.Errorf("read the support bundle: %w", err)
		}
		files[strings.TrimPrefix(header.Name, Folder+"/")] = data
	}
}

// ManifestOf is the manifest of what was unpacked: without one, the bundle is not complete.
func ManifestOf(files map[string][]byte) (m Manifest, err error) {
	if err := json.Unmarshal(files[ManifestFile], &m); err != nil {
		return m, fmt.Errorf("read the manifest of the support bundle: %w", err)
	}
	return m, nil
}
