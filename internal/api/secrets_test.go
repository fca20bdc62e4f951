package api_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"gateway/internal/api"
	"gateway/internal/api/apitest"
	"gateway/internal/secret"
)

// Door is exported: of others, huma does not see what is embedded.
type Door struct {
	Name string       `json:"name"`
	Code secret.Text  `json:"code"`
	Old  *secret.Text `json:"old,omitempty"`
}

type house struct {
	Door
	Doors []Door `json:"doors"`
	Cat   struct {
		Chip secret.Text `json:"chip"`
	} `json:"cat"`
}

// What is a secret is said by its type alone, wherever in a body it is.
func TestTheDocumentDeclaresEverySecret(t *testing.T) {
	srv := server(t, func(r api.Router) {
		things(r)
		api.Handle(r, api.Op{ID: "build", Method: http.MethodPut, Path: "/houses/{id}"},
			func(context.Context, *struct {
				ID   string `path:"id"`
				Body house
			},
			) (*api.Body[*api.None], error) {
				return api.Done(), nil
			})
	})
	_, document := do(t, srv, "GET", "/api/v1/openapi.json", "", "Authorization", "Bearer viewer")
	got, err := apitest.Secrets([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	want := []apitest.Secret{}
	for _, field := range []string{"cat.chip", "code", "doors[].code", "doors[].old", "old"} {
		want = append(want, apitest.Secret{Method: "PUT", Path: "/houses/{id}", Field: field})
	}
	if !slices.Equal(got, want) {
		t.Errorf("secrets = %v, want %v", got, want)
	}
}
