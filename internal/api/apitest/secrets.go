package apitest

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Secret is a field of a request's body that an OpenAPI document declares as secret.
type Secret struct{ Method, Path, Field string }

func (s Secret) String() string { return s.Method + " " + s.Path + ": " + s.Field }

// Secrets lists them all: the texts that are write-only.
func Secrets(document []byte) (all []Secret, err error) {
	var doc map[string]any
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	schemas := object(object(doc["components"])["schemas"])
	for at, methods := range sorted(doc["paths"]) {
		for method, op := range sorted(methods) {
			for _, media := range sorted(object(object(op)["requestBody"])["content"]) {
				for _, field := range secretsIn(schemas, object(media)["schema"], "", nil) {
					all = append(all, Secret{strings.ToUpper(method), at, field})
				}
			}
		}
	}
	return all, nil
}

// secretsIn are the fields below a schema. within are the named ones on the way to it.
func secretsIn(schemas map[string]any, schema any, at string, within []string) (fields []string) {
	s := object(schema)
	if ref, ok := s["$ref"].(string); ok {
		name := path.Base(ref)
		if slices.Contains(within, name) {
			return nil
		}
		return secretsIn(schemas, schemas[name], at, append(within, name))
	}
	if s["writeOnly"] == true && (s["type"] == "string" || slices.Contains(list(s["type"]), any("string"))) {
		return []string{at}
	}
	for name, property := range sorted(s["properties"]) {
		fields = append(fields, secretsIn(schemas, property, strings.TrimPrefix(at+"."+name, "."), within)...)
	}
	if s["items"] != nil {
		fields = append(fields, secretsIn(schemas, s["items"], at+"[]", within)...)
	}
	return fields
}

var parameter = regexp.MustCompile(`\\\{[^}]*\\\}`)

// Values are what a request sends in the field; none if it is of another operation. The path is
// below the API's prefix.
func (s Secret) Values(method, path string, body []byte) []string {
	form := "^" + parameter.ReplaceAllString(regexp.QuoteMeta(s.Path), `[^/]+`) + "$"
	if method != s.Method || !regexp.MustCompile(form).MatchString(path) {
		return nil
	}
	var sent any
	if json.Unmarshal(body, &sent) != nil {
		return nil
	}
	found := []any{sent}
	for name := range strings.SplitSeq(s.Field, ".") {
		name, isList := strings.CutSuffix(name, "[]")
		var inner []any
		for _, v := range found {
			if v = object(v)[name]; isList {
				inner = append(inner, list(v)...)
			} else {
				inner = append(inner, v)
			}
		}
		found = inner
	}
	var texts []string
	for _, v := range found {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
