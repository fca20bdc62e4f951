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
// one body must not see two values), broken UTF-8, NUL (PostgreSQL cannot store it)
// and anything behind the value.
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
	if err := walk(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the JSON value")
	}
	return nil
}

const maxDepth = 32

func walk(dec *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return errors.New("the body is not JSON")
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return walkObject(dec, depth)
		}
		for dec.More() {
			if err := walk(dec, depth+1); err != nil {
				return err
			}
		}
		_, err = dec.Token()
		return err
	case string:
		return checkText(t)
	}
	return nil
}

func walkObject(dec *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return errors.New("the body is not JSON")
		}
		key, _ := t.(string)
		if seen[key] {
			return errors.New("a key is given twice")
		}
		seen[key] = true
		if err := checkText(key); err != nil {
			return err
		}
		if err := walk(dec, depth+1); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func checkText(s string) error {
	if bytes.IndexByte([]byte(s), 0) >= 0 {
		return errors.New("text must not contain NUL")
	}
	return nil
}
