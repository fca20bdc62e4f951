// Package export writes the configuration as one readable document, without ids and
// secrets, and plans how to get from what is there to what a document says. It knows
// objects only as their components declare them, and reaches them through the API;
// running the plan is left to POST /batch.
package export

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/component"
	"gateway/internal/secret"
)

// Getter reads one path of the API.
type Getter func(ctx context.Context, path string) (json.RawMessage, error)

// item is one object as the API answers it, with the name that the document gives it.
type item struct {
	id     string
	name   string
	etag   string
	fields map[string]any // without ids and the other metaFields; references by name
}

// kind is one kind of object with all there is of it.
type kind struct {
	component.Object
	items []item
}

func (k kind) find(name string) (item, bool) {
	i := slices.IndexFunc(k.items, func(it item) bool { return it.name == name })
	if i < 0 {
		return item{}, false
	}
	return k.items[i], true
}

// metaFields are what every object has and nobody configures.
var metaFields = []string{"id", "revision", "created_at", "updated_at"}

// document names a reference: "zone_id" is "zone" there.
func document(field string) string { return strings.TrimSuffix(field, "_id") }

const pageSize = 1000

// loader reads the objects of components, each once, when they are asked for.
type loader struct {
	get        Getter
	components []component.Component
	known      map[string][]kind // by the component's name
}

func newLoader(get Getter, components []component.Component) *loader {
	return &loader{get, components, map[string][]kind{}}
}

// load reads all objects of one component, those first that others refer to.
func (l *loader) load(ctx context.Context, c component.Component) ([]kind, error) {
	if known, ok := l.known[c.Name]; ok {
		return known, nil
	}
	if err := l.loadOthers(ctx, c); err != nil {
		return nil, err
	}
	var kinds []kind
	for _, o := range c.Objects {
		k := kind{Object: o}
		raws, err := list(ctx, l.get, o)
		if err != nil {
			return nil, fmt.Errorf("read %s %s: %w", c.Name, o.Key, err)
		}
		for _, raw := range raws {
			it, err := read(raw, o, func(to, id string) string { return nameOf(l.kind(kinds, to), id) })
			if err != nil {
				return nil, fmt.Errorf("read %s %s: %w", c.Name, o.Key, err)
			}
			k.items = append(k.items, it)
		}
		slices.SortStableFunc(k.items, byName)
		if k.Alike {
			number(k.items)
		}
		kinds = append(kinds, k)
	}
	l.known[c.Name] = kinds
	return kinds, nil
}

// loadOthers reads the components that objects of one refer to.
func (l *loader) loadOthers(ctx context.Context, c component.Component) error {
	for _, o := range c.Objects {
		for _, to := range o.Refs {
			name, _, outward := strings.Cut(to, ".")
			i := slices.IndexFunc(l.components, func(p component.Component) bool { return p.Name == name })
			if !outward || i < 0 {
				continue
			}
			if _, err := l.load(ctx, l.components[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// kind is the one that a reference names: of the component's own, or another's.
func (l *loader) kind(own []kind, to string) kind {
	if name, key, outward := strings.Cut(to, "."); outward {
		own, to = l.known[name], key
	}
	for _, k := range own {
		if k.Key == to {
			return k
		}
	}
	return kind{}
}

func byName(a, b item) int { return strings.Compare(a.name, b.name) }

// number tells items of the same name apart by their order; they are sorted by name.
func number(items []item) {
	for i, n := 1, 1; i < len(items); i++ {
		if items[i].name != items[i-n].name {
			n = 1
			continue
		}
		n++
		items[i].name = fmt.Sprintf("%s (no. %d)", items[i].name, n)
	}
}

func list(ctx context.Context, get Getter, o component.Object) ([]json.RawMessage, error) {
	if o.Single {
		raw, err := get(ctx, o.Path)
		return []json.RawMessage{raw}, err
	}
	var all []json.RawMessage
	for {
		raw, err := get(ctx, fmt.Sprintf("%s?limit=%d&offset=%d", o.Path, pageSize, len(all)))
		if err != nil {
			return nil, err
		}
		var page []json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < pageSize {
			return all, nil
		}
	}
}

func read(raw json.RawMessage, o component.Object, nameOf func(to, id string) string) (item, error) {
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return item{}, err
	}
	it := item{id: fmt.Sprint(fields["id"]), etag: fmt.Sprintf(`"%v"`, fields["revision"]), fields: map[string]any{}}
	for name, value := range fields {
		if slices.Contains(metaFields, name) || slices.Contains(o.Derived, name) || value == secret.Redacted {
			continue
		}
		if slices.Contains(o.Optional, name) && value == nil {
			continue
		}
		if to, ok := o.Refs[name]; ok {
			name, value = document(name), nameOf(to, fmt.Sprint(value))
		}
		it.fields[name] = value
	}
	it.name = nameIn(o, it.fields)
	return it, nil
}

// nameIn is what the document calls an object: the fields that tell it from others.
func nameIn(o component.Object, fields map[string]any) string {
	var words []string
	for _, f := range o.Name {
		if _, ok := o.Refs[f]; ok {
			f = document(f)
		}
		words = append(words, fmt.Sprint(fields[f]))
	}
	return strings.Join(words, " ")
}

func nameOf(k kind, id string) string {
	for _, it := range k.items {
		if it.id == id {
			return it.name
		}
	}
	return id
}
