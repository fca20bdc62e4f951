package live

import (
	"reflect"
	"strconv"
	"testing"
)

// The applier does not see the schema that the API holds a request to.
func TestTheLimitIsThatOfTheSchema(t *testing.T) {
	field, _ := reflect.TypeFor[ConnectionsRequest]().FieldByName("Limit")
	if most, err := strconv.Atoi(field.Tag.Get("maximum")); err != nil || most != maxConnections {
		t.Errorf("the schema has %d (%v), the verb %d", most, err, maxConnections)
	}
	for limit, want := range map[int]int{-1: 1, 0: 1, 7: 7, maxConnections: maxConnections, 1 << 30: maxConnections} {
		if got := (ConnectionsRequest{Limit: limit}).limit(); got != want {
			t.Errorf("the limit %d is %d, want %d", limit, got, want)
		}
	}
}
