package linefile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gateway/internal/linefile"
)

type thing struct {
	Name string `json:"name"`
	N    int    `json:"n,omitempty"`
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	want := []thing{{"a \"b\"\nc", 1}, {"<&>", 0}}
	var b bytes.Buffer
	b.WriteString("# a comment\n\n")
	for _, v := range want {
		linefile.Append(&b, "thing", v)
	}
	var got []thing
	if err := linefile.Read(b.Bytes(), map[string]func(string) error{"thing": linefile.Into(&got)}); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %+v (%v) of\n%s", got, err, b.String())
	}
	if lines := strings.Count(b.String(), "\n"); lines != 4 || !strings.Contains(b.String(), "<&>") {
		t.Errorf("%d lines:\n%s", lines, b.String())
	}
}

func TestALineThatCannotBeReadIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"thing {":                             "line 1",
		"thing {}\nthing":                     "line 2",
		"thing {\"nmae\": 1}":                 "nmae",
		"\n# thing\nelse {}":                  `line 3: unknown word "else"`,
		"thing []":                            "line 1",
		"thing {\"name\":\"a\"}\nthings {}\n": `unknown word "things"`,
	} {
		var got []thing
		err := linefile.Read([]byte(text), map[string]func(string) error{"thing": linefile.Into(&got)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
