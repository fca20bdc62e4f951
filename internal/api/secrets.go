package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"gateway/internal/secret"
)

// declareSecrets marks the secrets of a request's body as write-only in the document. Their type
// says what they are, so that no field can be forgotten: tests send canaries through all of them.
func declareSecrets(schemas huma.Registry, body *huma.RequestBody) {
	if body == nil {
		return
	}
	seen := map[string]bool{}
	for _, media := range body.Content {
		declareIn(schemas, media.Schema, seen)
	}
}

func declareIn(schemas huma.Registry, s *huma.Schema, seen map[string]bool) {
	for s != nil && s.Items != nil {
		s = s.Items
	}
	if s == nil || s.Ref == "" || seen[s.Ref] {
		return
	}
	seen[s.Ref] = true
	properties := schemas.SchemaFromRef(s.Ref).Properties
	for _, f := range reflect.VisibleFields(schemas.TypeFromRef(s.Ref)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		property := properties[name]
		switch {
		case property == nil:
		case f.Type == reflect.TypeFor[secret.Text]() || f.Type == reflect.TypeFor[*secret.Text]():
			property.WriteOnly = true
		default:
			declareIn(schemas, property, seen)
		}
	}
}
