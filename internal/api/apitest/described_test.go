package apitest_test

import (
	"slices"
	"testing"

	"gateway/internal/api/apitest"
)

func TestUndescribedNamesWhatIsMissing(t *testing.T) {
	document := `{"paths": {"/pools": {
		"get": {"summary": "List pools", "description": "List pools.", "parameters": [{"name": "q"}]},
		"post": {"summary": "Create a pool", "description": "Stores it.", "responses": {"201": {"headers": {"ETag": {}}}}},
		"put": {"summary": "Replace a pool", "description": "Replaces all fields.", "responses": {
			"400": {"content": {"json": {"schema": {"type": "object", "properties": {"error": {}}}}}}}}
	}}, "components": {"schemas": {"Pool": {"type": "object", "properties": {
		"member_count": {"description": "Member count"}, "properties": {"description": "Settings by name", "type": "object"}
	}}}}}`
	want := []string{
		"/components/schemas/Pool: member_count",
		"/paths//pools/put/responses/400/content/json/schema: error",
		"GET /pools",
		"GET /pools: parameter q",
		"POST /pools: 201 without Location",
	}
	got, all, err := apitest.Undescribed([]byte(document))
	if err != nil || !slices.Equal(got, want) || all != 7 {
		t.Errorf("lacking = %q of %d, %v, want %q of 7", got, all, err, want)
	}
}
