package apitest_test

import (
	"slices"
	"testing"

	"gateway/internal/api/apitest"
)

func TestSecretsAreFoundInWhatIsSent(t *testing.T) {
	of := apitest.Secret{Method: "PUT", Path: "/houses/{id}", Field: "doors[].lock.code"}
	const body = `{"code": "a", "doors": [{"lock": {"code": "b"}}, {"lock": {}}, {"lock": {"code": "c"}}, 1]}`
	for path, want := range map[string][]string{"/houses/1": {"b", "c"}, "/houses/1/doors": nil, "/houses/": nil} {
		if got := of.Values("PUT", path, []byte(body)); !slices.Equal(got, want) {
			t.Errorf("in PUT %s = %q, want %q", path, got, want)
		}
	}
	for method, body := range map[string]string{"POST": body, "PUT": `{"doors": [`} {
		if got := of.Values(method, "/houses/1", []byte(body)); got != nil {
			t.Errorf("in %s %s = %q, want none", method, body, got)
		}
	}
}
