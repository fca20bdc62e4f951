package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountsSinceTheLastLook(t *testing.T) {
	var c counts
	at := func(domain string, n int64) Traffic { return Traffic{domain, n, n / 10, 0, n * 3} }
	for _, step := range []struct {
		says      string
		all, want []Traffic
	}{
		{"the first look only remembers: who knows since when it counts", []Traffic{at("a", 100)}, nil},
		{"then comes the difference", []Traffic{at("a", 130), at("b", 10)}, []Traffic{{"a", 30, 3, 0, 90}, at("b", 10)}},
		{"nothing came", []Traffic{at("a", 130), at("b", 10)}, nil},
		{"after a reload the count begins anew", []Traffic{at("a", 20)}, []Traffic{at("a", 20)}},
	} {
		if diff := cmp.Diff(c.since(step.all), step.want); diff != "" {
			t.Errorf("%s:\n%s", step.says, diff)
		}
	}
}
