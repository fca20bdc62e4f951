package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2/validation"

	"gateway/internal/fault"
)

// What huma says must stay what humaTexts has.
func TestTheWordsOfHumaAreKnown(t *testing.T) {
	for _, text := range []string{
		validation.MsgUnexpectedProperty, validation.MsgExpectedRFC3339DateTime, validation.MsgExpectedRFC4122UUID, validation.MsgExpectedBoolean,
		validation.MsgExpectedNumber, validation.MsgExpectedInteger, validation.MsgExpectedString, validation.MsgExpectedArray, validation.MsgExpectedObject,
		validation.MsgExpectedArrayItemsUnique, validation.MsgExpectedOneOf, validation.MsgExpectedMinimumNumber, validation.MsgExpectedExclusiveMinimumNumber,
		validation.MsgExpectedMaximumNumber, validation.MsgExpectedExclusiveMaximumNumber, validation.MsgExpectedMinLength, validation.MsgExpectedMaxLength,
		validation.MsgExpectedBePattern, validation.MsgExpectedMatchPattern, validation.MsgExpectedMinItems, validation.MsgExpectedMaxItems,
		validation.MsgExpectedMinProperties, validation.MsgExpectedMaxProperties,
	} {
		if !slices.Contains(humaTexts, text) {
			t.Errorf("humaTexts lacks %q", text)
		}
	}
	for message, want := range map[string]fault.Words{
		"expected length <= 64":               {Text: "expected length <= %d", Params: []string{"64"}},
		`expected value to be one of "a, b"`:  {Text: `expected value to be one of "%s"`, Params: []string{"a, b"}},
		"expected string to match pattern ^a": {Text: "expected string to match pattern %s", Params: []string{"^a"}},
		"something else":                      {},
	} {
		if got := worded(message); got.Message != message || got.Text != want.Text || !slices.Equal(got.Params, want.Params) {
			t.Errorf("%q has the words %q", message, got.Words)
		}
	}
}

// An operation of a batch is answered like any other request, and its answer read back.
func TestARefusalKeepsWhoIsInTheWay(t *testing.T) {
	uses := fault.UsesOf(fault.Use{Kind: "rule", ID: "1", Name: "web", Link: "/firewall"})
	body, err := json.Marshal(answer(fault.New(fault.Conflict, "a rule uses it").WithCode("in_use").WithUses(uses)))
	if err != nil {
		t.Fatal(err)
	}
	if got := (Answer{Status: http.StatusConflict, Body: body}).Fault(); got.Code != "in_use" || !reflect.DeepEqual(got.Uses, uses) {
		t.Errorf("read back: %s %+v, want %+v", got.Code, got.Uses, uses)
	}
}
