package app

import (
	"bytes"
	"context"
	"net/http"

	"gateway/internal/component/diag/bundle"
)

// SupportBundle is one as an archive, with what of it could not be made.
type SupportBundle struct {
	Archive []byte
	Files   int
	Missing []SupportFile
}

// SupportFile is a file of a support bundle.
type SupportFile = bundle.File

// SupportBundle makes one. It is complete, whatever is missing in it.
func (l *Local) SupportBundle(ctx context.Context) (SupportBundle, error) {
	answer, err := l.Call(ctx, http.MethodGet, "/diagnostics/support-bundle", nil, nil)
	if err != nil {
		return SupportBundle{}, err
	}
	if answer.Status != http.StatusOK {
		return SupportBundle{}, answer.Fault()
	}
	files, err := bundle.Unpack(bytes.NewReader(answer.Body))
	if err != nil {
		return SupportBundle{}, err
	}
	m, err := bundle.ManifestOf(files)
	if err != nil {
		return SupportBundle{}, err
	}
	out := SupportBundle{Archive: answer.Body, Files: len(files), Missing: []SupportFile{}}
	for _, f := range m.Files {
		if f.Error != "" {
			out.Missing = append(out.Missing, f)
		}
	}
	return out, nil
}
