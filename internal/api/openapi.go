package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

const description = `Every JSON body is {"data": …, "error": …}; on success error is null.
Sign in with POST /auth/login (cookie), or send an API token as "Authorization: Bearer …".
Lists accept limit, offset, q and sort, and return X-Total-Count. Resources return an ETag; send it back
as If-Match with PUT and DELETE; if someone else has changed the resource, the response is 412.`

// tokenHelp shows a program's first request.
const tokenHelp = `For programs: create a token with POST /auth/tokens and send it with every request:

    curl -H "Authorization: Bearer $TOKEN" https://gw.example:3443` + Prefix + `/domains`

// describe is huma's configuration: its defaults, less what would leak or lie.
func describe(version string) huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Gateway API", Version: version, Description: description},
			Servers: []*huma.Server{{URL: Prefix}},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {Type: "apiKey", In: "cookie", Name: SessionCookie, Description: "Set by POST /auth/login; for browsers"},
					"token":   {Type: "http", Scheme: "bearer", Description: tokenHelp},
				},
			},
			OnAddOperation: []huma.AddOpFunc{func(_ *huma.OpenAPI, op *huma.Operation) {
				delete(op.Responses, "422") // answered as 400
				declareSecrets(registry, op.RequestBody)
			}},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
		// A mistyped parameter must not be taken for one that is not there: ?dryrun=1 changed things.
		RejectUnknownQueryParameters: true,
	}
}

// describe is the operation in the document, with its entry of the access table.
func (op Op) describe(tag string) huma.Operation {
	h := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: op.Description,
		Tags: []string{tag}, DefaultStatus: op.Status, Errors: op.errors(),
		MaxBodyBytes: op.MaxBody,
		Extensions:   map[string]any{"x-gateway-access": op.Access.String()},
	}
	if op.Lasting {
		h.Description += lastingHelp
		h.Extensions["x-gateway-lasting"] = true
	}
	if op.ReadOnly {
		h.Extensions["x-gateway-read-only"] = true
	}
	if op.Access == Public && op.Mutates() {
		// The body has been read by then, see anonymous: a deadline would end the request, not the reading.
		h.BodyReadTimeout = -1
	}
	if op.Access != Public {
		h.Security = []map[string][]string{{"session": {}}, {"token": {}}}
	}
	return h
}

func (op Op) errors() []int {
	e := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusUnsupportedMediaType, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if strings.Contains(op.Path, "{") || op.Mutates() {
		e = append(e, http.StatusNotFound)
	}
	if op.Switched {
		e = append(e, http.StatusConflict)
	}
	if op.Mutates() {
		e = append(e, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests)
	}
	if op.Method == http.MethodPut || op.Method == http.MethodPatch || op.Method == http.MethodDelete {
		e = append(e, http.StatusPreconditionFailed)
	}
	return e
}

var (
	typePath = regexp.MustCompile(`[\w./-]+\.`)
	inWords  = strings.NewReplacer("[[]", "ListOf", "[", "Of", "]", "", ",", "And", "*", "", "{}", "Empty", " ", "")
	named    sync.Map // type to name: huma asks for the same ones thousands of times while a process starts
)

// schemaName is the name of a type in the document.
func schemaName(t reflect.Type, hint string) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" {
		return camel(hint)
	}
	if name, ok := named.Load(t); ok {
		return name.(string)
	}
	name := typeName(t)
	named.Store(t, name)
	return name
}

// typeName prefixes a type with its package, so that two components may both have a Settings.
func typeName(t reflect.Type) string {
	name := typePath.ReplaceAllStringFunc(t.Name(), func(p string) string { return title(path.Base(strings.TrimSuffix(p, "."))) })
	name = inWords.Replace(name)
	if pkg := path.Base(t.PkgPath()); pkg != "api" && pkg != "." {
		name = strings.TrimPrefix(title(pkg)+name, title(pkg)+title(pkg))
		if !strings.HasPrefix(name, title(pkg)) {
			name = title(pkg) + name
		}
	}
	return title(name)
}

// camel spells a hint like change-passwordRequest as a type.
func camel(hint string) string {
	parts := strings.Split(hint, "-")
	for i := range parts {
		parts[i] = title(parts[i])
	}
	return strings.Join(parts, "")
}

func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Document is the OpenAPI description of everything registered so far.
func (s *Server) Document() ([]byte, error) {
	doc, err := json.MarshalIndent(s.huma.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode OpenAPI document: %w", err)
	}
	return doc, nil
}

// registerDocument serves the document and a page to read it.
func (s *Server) registerDocument() {
	r := s.Router("api")
	document := sync.OnceValues(s.Document) // every component registers before the first request
	Raw(r, Op{
		ID: "openapi", Method: http.MethodGet, Path: "/openapi.json", Summary: "API description as OpenAPI 3.1",
		Description: "Generate clients from it. It is complete: every operation, parameter, property and status.",
		Access:      Viewer, WithoutDatabase: true,
	}, "application/json", func(w http.ResponseWriter, _ *http.Request) error {
		doc, err := document()
		if err == nil {
			_, _ = w.Write(doc) // the caller hung up
		}
		return err
	})
	Raw(r, Op{
		ID: "docs", Method: http.MethodGet, Path: "/docs", Summary: "API reference for the browser",
		Description: "One page with every operation, for a browser without the UI.",
		Access:      Viewer, WithoutDatabase: true,
	}, "text/html; charset=utf-8", func(w http.ResponseWriter, _ *http.Request) error {
		return writeReference(w, s.huma.OpenAPI())
	})
}

// enumerate tells the schema of I's body which values its fields may have.
func enumerate[I any](schemas huma.Registry, enums map[string][]string) {
	if len(enums) == 0 {
		return
	}
	body, _ := reflect.TypeFor[I]().FieldByName("Body")
	schema := schemas.SchemaFromRef(schemas.Schema(body.Type, true, body.Type.Name()).Ref)
	for field, values := range enums {
		property := schema.Properties[field]
		property.Enum = nil
		for _, v := range values {
			property.Enum = append(property.Enum, v)
		}
		property.PrecomputeMessages()
	}
	schema.PrecomputeMessages()
}

// Inherit describes the properties of To by those of From with the same name, where To says
// nothing itself: a stored resource has what was sent.
func Inherit[To, From any](r Router) {
	schemas := r.s.huma.OpenAPI().Components.Schemas
	from := schemaOf[From](schemas).Properties
	for name, property := range schemaOf[To](schemas).Properties {
		if source := from[name]; source != nil && property.Description == "" {
			property.Description = source.Description
		}
	}
}

func schemaOf[T any](schemas huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return schemas.SchemaFromRef(schemas.Schema(t, true, t.Name()).Ref)
}
