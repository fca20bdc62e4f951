package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Undescribed lists what an OpenAPI document leaves without a description, or describes by
// repeating its name: operations, parameters and properties. all is how many it looked at.
// A 201 without Location is listed too: the caller would have to guess where the new object is.
func Undescribed(document []byte) (lacking []string, all int, err error) {
	var doc any
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, 0, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d := described{}
	d.operations(object(doc)["paths"])
	d.schemas("", doc)
	slices.Sort(d.lacking)
	return slices.Compact(d.lacking), d.all, nil
}

type described struct {
	lacking []string
	all     int
}

func (d *described) operations(paths any) {
	for path, methods := range sorted(paths) {
		for method, op := range sorted(methods) {
			op, at := object(op), strings.ToUpper(method)+" "+path
			d.want(at, fmt.Sprint(op["summary"]), op)
			for _, p := range list(op["parameters"]) {
				name := fmt.Sprint(object(p)["name"])
				d.want(at+": parameter "+name, name, object(p))
			}
			created, ok := object(op["responses"])["201"]
			if _, located := object(object(created)["headers"])["Location"]; ok && !located {
				d.lacking = append(d.lacking, at+": 201 without Location")
			}
		}
	}
}

// schemas looks for properties wherever there are any: named schemas, and those in place.
func (d *described) schemas(at string, value any) {
	for key, inner := range sorted(value) {
		if properties := object(object(inner)["properties"]); properties != nil && object(inner)["type"] == "object" {
			for name, p := range sorted(properties) {
				d.want(at+"/"+key+": "+name, name, object(p))
			}
		}
		d.schemas(at+"/"+key, inner)
	}
	for _, inner := range list(value) {
		d.schemas(at, inner)
	}
}

func (d *described) want(at, name string, thing map[string]any) {
	d.all++
	text, _ := thing["description"].(string)
	if text == "" || plain(text) == plain(name) {
		d.lacking = append(d.lacking, at)
	}
}

// plain is a text as far as it says something: member_count and "Member count." say the same.
func plain(s string) string {
	return strings.Trim(strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(s)), " .")
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func sorted(v any) func(yield func(string, any) bool) {
	m := object(v)
	return func(yield func(string, any) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
