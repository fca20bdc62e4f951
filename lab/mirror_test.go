package lab

import (
	"reflect"
	"testing"
)

func TestSourcesFollowTheHost(t *testing.T) {
	for _, tc := range []struct {
		name, oneLine, deb822 string
		want                  []source
	}{
		{
			name:    "one-line entries with options and other vendors",
			oneLine: "deb [arch=amd64] https://vendor.example/apt bookworm stable\n# deb http://old.example/debian bookworm main\ndeb [signed-by=/k] http://m.example/debian/ bookworm main contrib\n",
			want:    []source{{"http://m.example/debian", []string{"trixie"}}},
		},
		{
			name:   "security before the release",
			deb822: "Types: deb\nURIs: http://m.example/security\nSuites: bookworm-security\nComponents: main\n\nTypes: deb\nURIs: http://m.example/debian\nSuites: bookworm bookworm-updates bookworm-backports\nComponents: main\n",
			want: []source{
				{"http://m.example/debian", []string{"trixie", "trixie-updates"}},
				{"http://m.example/security", []string{"trixie-security"}},
			},
		},
		{
			name:   "disabled stanzas and local files",
			deb822: "URIs: http://m.example/debian\nSuites: bookworm\nComponents: main\nEnabled: no\n\nURIs: file:/mirror\nSuites: bookworm\nComponents: main\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := translate(append(parseOneLine(tc.oneLine), parseDeb822(tc.deb822)...), "bookworm")
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("sources = %v, want %v", got, tc.want)
			}
		})
	}
}
