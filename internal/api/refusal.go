package api

import (
	"regexp"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"gateway/internal/fault"
)

func refusal(kind fault.Kind, msg string) fault.Sentence {
	switch kind {
	case fault.Invalid:
		return fault.Said("the request is not valid")
	case fault.Internal:
		return fault.Said("internal error; see this node's log for details")
	case fault.TooLarge:
		return fault.Said("the request body is too large")
	case fault.MediaType:
		return fault.Said("send the body as application/json")
	}
	return fault.Sentence{Message: msg}
}

// absent is how huma says that a field is not there; it places that at what the field belongs to.
var absent = regexp.MustCompile(`^expected required property (\S+) to be present$`)

// fieldOf is the field that a complaint is about, by its own name.
func fieldOf(d *huma.ErrorDetail) fault.Field {
	if m := absent.FindStringSubmatch(d.Message); m != nil {
		return fault.Field{Name: fieldName(d.Location + "." + m[1]), Sentence: fault.Said("is required")}
	}
	return fault.Field{Name: fieldName(d.Location), Sentence: worded(d.Message)}
}

// fieldName turns huma's location into the name the operator knows: "body.email" → "email".
func fieldName(location string) string {
	for _, prefix := range []string{"body.", "query.", "path.", "header."} {
		if rest, ok := strings.CutPrefix(location, prefix); ok {
			return rest
		}
	}
	return location
}

// humaTexts are the formats of what huma says about a value. It hands out the message alone,
// so its words are found here, once, and nobody after us has to look for them.
var humaTexts = []string{
	"unexpected property",
	"unknown query parameter",
	"expected string to be RFC 3339 date-time",
	"expected string to be RFC 4122 uuid: %v",
	"expected boolean",
	"expected number",
	"expected integer",
	"expected string",
	"expected array",
	"expected object",
	"expected array items to be unique",
	"expected value to be one of \"%s\"",
	"expected number >= %v",
	"expected number > %v",
	"expected number <= %v",
	"expected number < %v",
	"expected length >= %d",
	"expected length <= %d",
	"expected string to be %s",
	"expected string to match pattern %s",
	"expected array length >= %d",
	"expected array length <= %d",
	"expected object with at least %d properties",
	"expected object with at most %d properties",
}

var humaVerb = regexp.MustCompile(`%[vds]`)

// humaPatterns match what became of humaTexts, in the same order.
var humaPatterns = sync.OnceValue(func() []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(humaTexts))
	for i, text := range humaTexts {
		parts := humaVerb.Split(text, -1)
		for j := range parts {
			parts[j] = regexp.QuoteMeta(parts[j])
		}
		all[i] = regexp.MustCompile(`(?s)^` + strings.Join(parts, `(.*)`) + `$`)
	}
	return all
})

// worded is a message of huma with its words.
func worded(message string) fault.Sentence {
	for i, p := range humaPatterns() {
		if m := p.FindStringSubmatch(message); m != nil {
			return fault.Sentence{Message: message, Words: fault.Words{Text: humaTexts[i], Params: m[1:]}}
		}
	}
	return fault.Sentence{Message: message}
}
