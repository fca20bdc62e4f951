// Package fuzz sends a running gateway-api whatever its OpenAPI document allows,
// almost allows and does not allow, and holds every answer against that document.
// It is imported by tests only; starting the process is left to package apptest.
package fuzz

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// operation is one entry of the document.
type operation struct {
	*openapi3.Operation
	method, path string
	body         *openapi3.Schema // nil when it takes none
}

// operations reads the document; the order is by path and method, so that a seed
// means the same in every run.
func operations(document []byte) ([]*operation, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("load OpenAPI document: %w", err)
	}
	var ops []*operation
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			ops = append(ops, &operation{Operation: op, method: method, path: path, body: bodyOf(op)})
		}
	}
	slices.SortFunc(ops, func(a, b *operation) int { return strings.Compare(a.path+" "+a.method, b.path+" "+b.method) })
	return ops, nil
}

func bodyOf(op *openapi3.Operation) *openapi3.Schema {
	if op.RequestBody == nil || op.RequestBody.Value == nil {
		return nil
	}
	media := op.RequestBody.Value.Content["application/json"]
	if media == nil || media.Schema == nil {
		return nil
	}
	return media.Schema.Value
}

// collection is the path whose rows the operation works on: /users for /users/{id}/password.
func (op *operation) collection() string {
	c, _, _ := strings.Cut(op.path, "/{")
	return c
}

// stream reports whether the operation is a WebSocket.
func (op *operation) stream() bool { return op.Responses.Status(http.StatusSwitchingProtocols) != nil }

// response is what the document says of a status; nil when it does not know it.
func (op *operation) response(status int) *openapi3.Response {
	ref := op.Responses.Status(status)
	if ref == nil {
		return nil
	}
	return ref.Value
}

// media is what the document says of a status in that content type. Types are held
// against each other without their parameters.
func media(r *openapi3.Response, contentType string) *openapi3.MediaType {
	for documented, m := range r.Content {
		if essence(documented) == essence(contentType) {
			return m
		}
	}
	return nil
}

func essence(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return contentType
	}
	return kind
}
