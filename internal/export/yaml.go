package export

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"gateway/internal/component"
)

const heading = `gateway configuration, without ids and secrets.
Read it back with: gateway-ctl apply FILE
Kinds and settings that a file does not mention are kept; of a kind that it lists, objects that
are not in the list are removed.`

// Write is the configuration of the parts as one document.
func Write(ctx context.Context, get Getter, components []component.Component) ([]byte, error) {
	doc := &yaml.Node{Kind: yaml.MappingNode, HeadComment: heading}
	there := newLoader(get, components)
	for _, c := range components {
		kinds, err := there.load(ctx, c)
		if err != nil {
			return nil, err
		}
		section := &yaml.Node{Kind: yaml.MappingNode}
		for _, k := range kinds {
			if err := put(section, k.Key, k.value()); err != nil {
				return nil, err
			}
		}
		if len(kinds) > 0 {
			doc.Content = append(doc.Content, text(c.Name), section)
		}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return b.Bytes(), e.Close()
}

func (k kind) value() any {
	if k.Single && len(k.items) == 1 {
		return k.node(k.items[0])
	}
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for _, it := range k.items {
		all.Content = append(all.Content, k.node(it))
	}
	return all
}

// node has the fields that name an object first, then the others by name.
func (k kind) node(it item) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	var order []string
	for _, f := range k.Name {
		if _, ok := k.Refs[f]; ok {
			f = document(f)
		}
		order = append(order, f)
	}
	for _, f := range slices.Sorted(maps.Keys(it.fields)) {
		if !slices.Contains(order, f) {
			order = append(order, f)
		}
	}
	for _, f := range order {
		if err := put(n, f, it.fields[f]); err != nil {
			continue // a value that came from JSON is always writable
		}
	}
	return n
}

func put(n *yaml.Node, key string, value any) error {
	v, ok := value.(*yaml.Node)
	if !ok {
		v = &yaml.Node{}
		if err := v.Encode(value); err != nil {
			return fmt.Errorf("write %s: %w", key, err)
		}
	}
	n.Content = append(n.Content, text(key), v)
	return nil
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }
