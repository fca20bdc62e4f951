package fuzz

import (
	"errors"
	"fmt"
	"net/http"

	"gateway/internal/api"
)

// Document holds answers against the OpenAPI document, for tests that ask by other means.
type Document struct{ ops []*operation }

// NewDocument reads it.
func NewDocument(text []byte) (*Document, error) {
	ops, err := operations(text)
	return &Document{ops}, err
}

// Check tells what in an answer is not as the document says. The operation goes by its path in the
// document: /users/{id}.
func (d *Document) Check(method, path string, status int, header http.Header, body []byte) error {
	op := (&Driver{ops: d.ops}).find(method, path)
	if op == nil {
		return fmt.Errorf("%s %s is not in the document", method, path)
	}
	r := &request{op: op, method: method, target: api.Prefix + path}
	a := &answer{status: status, header: header, body: body}
	if op.response(status) == nil {
		return fmt.Errorf("%d is not in the document", status)
	}
	if status == http.StatusSwitchingProtocols {
		return nil
	}
	return errors.Join(enveloped(r, a), typed(r, a), asDocumented(r, a))
}
