package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gateway/internal/secret"
)

func TestTextNeverPrints(t *testing.T) {
	type login struct{ Password secret.Text }
	const plain = "hunter2hunter2"
	text := secret.Text(plain)
	logged := func(handler func(*bytes.Buffer) slog.Handler, value any) string {
		var b bytes.Buffer
		slog.New(handler(&b)).Info("login", "value", value)
		return b.String()
	}
	asText := func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) }
	asJSON := func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) }
	encoded := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tc := range []struct{ name, got string }{
		{"by String", text.String()},
		{"by %v", fmt.Sprintf("%v", text)},
		{"by %s of a pointer", fmt.Sprintf("%s", &text)},
		{"by %q", fmt.Sprintf("%q", text)},
		{"by %x", fmt.Sprintf("%x", text)},
		{"by %d", fmt.Sprintf("%d", text)},
		{"by %#v", fmt.Sprintf("%#v", text)},
		{"by %+v inside a struct", fmt.Sprintf("%+v", login{text})},
		{"by %#v inside a struct", fmt.Sprintf("%#v", login{text})},
		{"by %v inside a map", fmt.Sprint(map[string]any{"p": text})},
		{"by an error", fmt.Errorf("bad %v", text).Error()},
		{"by JSON", encoded(text)},
		{"by JSON inside a struct", encoded(&login{text})},
		{"by the text log", logged(asText, text)},
		{"by the text log inside a struct", logged(asText, login{text})},
		{"by the JSON log", logged(asJSON, text)},
		{"by the JSON log inside a struct", logged(asJSON, login{text})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hex := fmt.Sprintf("%x", plain)
			if strings.Contains(tc.got, plain) || strings.Contains(tc.got, hex) {
				t.Errorf("the secret is in %q", tc.got)
			}
			if !strings.Contains(tc.got, "redacted") {
				t.Errorf("got %q, want it to say redacted", tc.got)
			}
		})
	}
}

func TestTextReadsThePlainValue(t *testing.T) {
	var body struct {
		Password secret.Text `json:"password"`
	}
	if err := json.Unmarshal([]byte(`{"password":"p\u00e4ss"}`), &body); err != nil {
		t.Fatal(err)
	}
	if got := body.Password.Reveal(); got != "päss" {
		t.Errorf("from JSON = %q, want päss", got)
	}
	var text secret.Text
	if err := text.UnmarshalText([]byte("plain")); err != nil || text.Reveal() != "plain" {
		t.Errorf("from text = %q, %v, want plain", text.Reveal(), err)
	}
	if got := reflect.TypeFor[secret.Text]().Kind(); got != reflect.String {
		t.Errorf("kind = %v, want string, which the request schema needs", got)
	}
}

func TestTextErrorDoesNotQuoteTheValue(t *testing.T) {
	var body struct{ Password secret.Text }
	err := json.Unmarshal([]byte(`{"Password":4711081511}`), &body)
	if err == nil || strings.Contains(err.Error(), "4711") {
		t.Errorf("error = %v, want one without the value", err)
	}
}

func TestTextRefusesToBeAQueryArgument(t *testing.T) {
	if v, err := secret.Text("plain").Value(); err == nil {
		t.Errorf("value = %v, want an error", v)
	}
}

func TestTextRoundTripsAnyString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "plain")
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var text secret.Text
		if err := json.Unmarshal(encoded, &text); err != nil {
			t.Fatal(err)
		}
		if got := text.Reveal(); got != want {
			t.Fatalf("reveal = %q, want %q", got, want)
		}
	})
}
