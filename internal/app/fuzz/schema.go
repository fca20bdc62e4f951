package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// conforms tells where an answer is not what the document says. kin-openapi's own
// check for 3.1 compiles the schema anew for every value, which is too slow here;
// this holds the keywords that the product's document uses for answers.
func conforms(where string, v any, ref *openapi3.SchemaRef) error {
	if ref == nil || ref.Value == nil {
		return nil
	}
	s := ref.Value
	if s.Type != nil && !slices.ContainsFunc(s.Type.Slice(), func(t string) bool { return isType(v, t) }) {
		return fmt.Errorf("%s is %s, documented as %s %s", where, typeOf(v), strings.Join(s.Type.Slice(), " or "), ref.Ref)
	}
	if len(s.Enum) > 0 && v != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s is not one of the documented values", where)
	}
	switch v := v.(type) {
	case map[string]any:
		return objectConforms(where, v, s)
	case []any:
		for _, item := range v {
			if err := conforms(where+"[]", item, s.Items); err != nil {
				return err
			}
		}
	case string:
		if _, err := time.Parse(time.RFC3339Nano, v); s.Format == "date-time" && err != nil {
			return fmt.Errorf("%s is not a date-time", where)
		}
	case float64:
		if s.Min != nil && v < *s.Min || s.Max != nil && v > *s.Max {
			return fmt.Errorf("%s is outside its documented range", where)
		}
	}
	return nil
}

func objectConforms(where string, v map[string]any, s *openapi3.Schema) error {
	for _, key := range s.Required {
		if _, ok := v[key]; !ok {
			return fmt.Errorf("%s.%s is missing", where, key)
		}
	}
	for key, value := range v {
		property, known := s.Properties[key]
		if !known && s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has {
			return fmt.Errorf("%s.%s is not documented", where, key)
		}
		if err := conforms(where+"."+key, value, property); err != nil {
			return err
		}
	}
	return nil
}

func isType(v any, t string) bool {
	n, number := v.(float64)
	switch t {
	case "integer":
		return number && n == float64(int64(n))
	default:
		return typeOf(v) == t
	}
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
