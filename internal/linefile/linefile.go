// Package linefile writes and reads the files by which gateway-apply keeps what the kernel is to
// have: one object a line, as JSON after the word for what it is. What the words mean is left to
// those whose file it is.
package linefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Append adds the line of an object.
func Append(b *bytes.Buffer, word string, object any) {
	b.WriteString(word + " ")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(object); err != nil {
		panic(err) // of strings and numbers there is always a text
	}
}

// Read calls, for each line, what takes the objects of its word. Empty lines and comments are
// passed over; an unknown word is an error.
func Read(data []byte, take map[string]func(object string) error) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		word, object, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "" || word == "#" {
			continue
		}
		known, ok := take[word]
		if !ok {
			return fmt.Errorf("line %d: unknown word %q", n, word)
		}
		if err := known(object); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// Decode reads one object, of which every field must be known.
func Decode(object string, into any) error {
	d := json.NewDecoder(strings.NewReader(object))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Into has objects appended to a list.
func Into[T any](all *[]T) func(object string) error {
	return func(object string) error {
		var v T
		if err := Decode(object, &v); err != nil {
			return err
		}
		*all = append(*all, v)
		return nil
	}
}
