package fuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// canary begins every secret that is sent. No answer may ever contain it.
const canary = "Kanari-7x"

// JSON is built from these, since a map can neither repeat a key nor hold a number
// that does not exist.
type (
	object   []member
	member   struct{ key, value any } // a key is a string, or verbatim
	verbatim string
)

// encode writes what was built.
func encode(v any) string {
	switch v := v.(type) {
	case verbatim:
		return string(v)
	case object:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = encode(m.key) + ":" + encode(m.value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = encode(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

// maker makes values. known answers with what was learnt before: the caller's own
// e-mail or password, the code of its authenticator.
type maker struct {
	*rand.Rand
	known func(field string) (string, bool)
}

// one in n.
func (m maker) one(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m maker, from []T) T { return from[m.IntN(len(from))] }

// valid makes a value that the schema allows.
func (m maker) valid(name string, s *openapi3.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return pick(m, s.Enum)
	case s.Type == nil:
		return "anything"
	case s.Type.Includes("object"):
		return m.object(s)
	case s.Type.Includes("array"):
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.valid(name, s.Items.Value)
		}
		return list
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return m.integer(s)
	case s.Type.Includes("boolean"):
		return m.one(2)
	}
	return m.text(name, s)
}

func (m maker) object(s *openapi3.Schema) object {
	var o object
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || m.one(2) {
			o = append(o, member{name, m.valid(name, s.Properties[name].Value)})
		}
	}
	return o
}

func (m maker) integer(s *openapi3.Schema) int64 {
	low, high := int64(0), int64(1000)
	if s.Min != nil {
		low = int64(*s.Min)
	}
	if s.Max != nil {
		high = int64(*s.Max)
	}
	if m.one(2) { // long lists say no more than short ones and take longer
		high = min(high, low+20)
	}
	return low + m.Int64N(high-low+1)
}

func (m maker) text(name string, s *openapi3.Schema) string {
	if v, ok := m.known(name); ok {
		return v
	}
	switch {
	case s.Pattern != "":
		v := rapid.StringMatching(s.Pattern).Example(m.IntN(1 << 20))
		if s.MaxLength != nil {
			v = string([]rune(v)[:min(len([]rune(v)), int(*s.MaxLength))])
		}
		return v
	case s.Format == "date-time":
		return time.Unix(m.Int64N(4e9), 0).UTC().Format(time.RFC3339)
	case s.WriteOnly || secret(name):
		return m.secret(s)
	case strings.Contains(name, "email"):
		return fmt.Sprintf("f%x@example.com", m.Uint64())
	case name == "fqdn":
		return fmt.Sprintf("gw%d.example.com", m.IntN(100))
	case strings.Contains(name, "url"):
		return "https://ca.example.com/directory"
	}
	return m.words(s)
}

// secret tells by its name whether a field holds what must never come back, though the document
// does not declare it: codes and tokens that are used up.
func secret(name string) bool {
	return slices.ContainsFunc([]string{"password", "token", "code"}, func(s string) bool { return strings.Contains(name, s) })
}

func (m maker) secret(s *openapi3.Schema) string {
	v := fmt.Sprintf("%s%016x", canary, m.Uint64())
	if s.MaxLength != nil {
		v = v[:min(len(v), int(*s.MaxLength))]
	}
	return v
}

func (m maker) words(s *openapi3.Schema) string {
	low, high := int(s.MinLength), 40
	if s.MaxLength != nil {
		high = min(high, int(*s.MaxLength))
	}
	const letters = "abcdefghij klmnop-qrstuvwxyz0123456789éß日本"
	v := make([]rune, low+m.IntN(high-low+1))
	for i := range v {
		v[i] = pick(m, []rune(letters))
	}
	return string(v)
}
