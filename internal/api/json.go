package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

var jsonFormat = huma.Format{Marshal: encodeJSON, Unmarshal: decodeJSON}

func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// decodeJSON refuses what encoding/json lets pass: keys given twice (two readers of
// one body must not see two values), broken UTF-8, NUL (PostgreSQL cannot store it),
// anything behind the value, and more values than we have memory for.
func decodeJSON(data []byte, v any) error {
	if generic, ok := v.(*any); ok {
		if !utf8.Valid(data) {
			return errors.New("the body is not UTF-8")
		}
		if err := checkKeys(data); err != nil {
			return err
		}
		return json.Unmarshal(data, generic)
	}
	return json.Unmarshal(data, v)
}

// checkKeys walks the tokens once.
func checkKeys(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	w := walker{Decoder: dec, left: min(maxValues, fewValues+len(data)/bytesPerValue)}
	if err := w.walk(0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is data after the JSON value")
	}
	return nil
}

const (
	maxDepth = 32
	// A decoded value costs fifty bytes and more, however short it is in the body: [{},{},…].
	// What people send has more bytes for each; a short body may be of any kind.
	bytesPerValue = 8
	fewValues     = 1000
	maxValues     = 500_000
)

// walker reads tokens and counts the values that are left to be had.
type walker struct {
	*json.Decoder
	left int
}

func (w *walker) walk(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	if w.left--; w.left < 0 {
		return errors.New("the body has too many values")
	}
	t, err := w.Token()
	if err != nil {
		return errors.New("the body is not JSON")
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return w.walkObject(depth)
		}
		for w.More() {
			if err := w.walk(depth + 1); err != nil {
				return err
			}
		}
		_, err = w.Token()
		return err
	case string:
		return checkText(t)
	}
	return nil
}

func (w *walker) walkObject(depth int) error {
	seen := map[string]bool{}
	for w.More() {
		t, err := w.Token()
		if err != nil {
			return errors.New("the body is not JSON")
		}
		key, _ := t.(string)
		if seen[key] {
			return errors.New("a key is duplicated")
		}
		seen[key] = true
		if err := checkText(key); err != nil {
			return err
		}
		if err := w.walk(depth + 1); err != nil {
			return err
		}
	}
	_, err := w.Token()
	return err
}

func checkText(s string) error {
	if bytes.IndexByte([]byte(s), 0) >= 0 {
		return errors.New("text must not contain NUL")
	}
	return nil
}
