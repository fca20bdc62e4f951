package fault

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// Words is what a translation of a message needs: the format that it was made from, which is
// its id, and what was filled in.
type Words struct {
	Text   string   `json:"text,omitempty" example:"must have at least %d characters" doc:"Id of the message for translations: its English text with %s, %d, %q or %v for each parameter. Missing if the message is not the gateway's own"`
	Params []string `json:"params,omitempty" nullable:"false" doc:"Parameters of the text in their order, as shown in the message"`
	// Nested are the words of parameters that are sentences themselves.
	Nested map[string]Words `json:"nested,omitempty" doc:"Parameters that are messages themselves, for translations, by their position in params, from 0"`
}

// Sentence is a message for people, with its words.
type Sentence struct {
	Message string `json:"message" doc:"What is wrong, in English"`
	Words
}

// Error makes a sentence the error of a validator, which knows no field and no kind.
func (s *Sentence) Error() string { return s.Message }

// String makes a sentence a parameter of another one: a reason within a refusal.
func (s Sentence) String() string { return s.Message }

// Said is a sentence made from a format, like fmt.Sprintf. A parameter that is a sentence keeps
// its words, so that it is translated too.
func Said(format string, args ...any) Sentence {
	return Sentence{fmt.Sprintf(format, args...), Words{format, params(format, args), nested(args)}}
}

// Say is Said as an error.
func Say(format string, args ...any) error {
	s := Said(format, args...)
	return &s
}

// SentenceOf is what an error says. One that was wrapped says more than the sentence in it,
// and so does a fault with fields: they have a message and no words.
func SentenceOf(err error) Sentence {
	var s *Sentence
	if errors.As(err, &s) && s.Message == err.Error() {
		return *s
	}
	if f, ok := Of(err); ok && f.Message == err.Error() {
		return f.Sentence
	}
	return Sentence{Message: err.Error()}
}

// Beside are the words in a pointer, for where they stand beside a message and may be missing.
func (w Words) Beside() *Words {
	if w.Text == "" {
		return nil
	}
	return &w
}

var verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-zA-Z%]`)

// params are the arguments, each by its own verb, so that they look as in the message.
func params(format string, args []any) []string {
	if len(args) == 0 {
		return nil
	}
	out := make([]string, 0, len(args))
	for _, v := range verb.FindAllString(format, -1) {
		if v != "%%" && len(out) < len(args) {
			out = append(out, fmt.Sprintf(v, args[len(out)]))
		}
	}
	return out
}

// nested are the words of the arguments that are sentences, by their numbers.
func nested(args []any) (out map[string]Words) {
	for i, a := range args {
		if s, ok := a.(Sentence); ok && s.Text != "" {
			if out == nil {
				out = map[string]Words{}
			}
			out[strconv.Itoa(i)] = s.Words
		}
	}
	return out
}
