package export

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// Step is one operation of a plan: what it does, and how it reads to a person.
type Step struct {
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	ID      string          `json:"id,omitempty"`
	IfMatch string          `json:"if_match,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`

	Sign rune   `json:"-"` // + ~ -
	What string `json:"-"`
	How  string `json:"-"` // which fields change
}

func (s Step) String() string {
	if s.How == "" {
		return fmt.Sprintf("%c %s", s.Sign, s.What)
	}
	return fmt.Sprintf("%c %s: %s", s.Sign, s.What, s.How)
}

// Plan is how to get from what is there to what the document says; empty when that is the same.
func Plan(ctx context.Context, get Getter, components []component.Component, doc []byte) ([]Step, error) {
	var sections map[string]map[string]any
	if err := yaml.Unmarshal(doc, &sections); err != nil {
		return nil, fault.New(fault.Invalid, "the document cannot be read: %v", err)
	}
	var first, removes []removal
	var makes []Step
	there, made, dropped := newLoader(get, components), map[string]string{}, map[string]bool{}
	for _, c := range components {
		section, ok := sections[c.Name]
		if !ok || len(c.Objects) == 0 {
			continue
		}
		delete(sections, c.Name)
		kinds, err := there.load(ctx, c)
		if err != nil {
			return nil, err
		}
		p := planner{component: c.Name, there: there, kinds: kinds, made: made, dropped: dropped}
		if err := p.section(section); err != nil {
			return nil, err
		}
		makes = append(makes, p.makes...)
		slices.Reverse(p.removes)
		first, removes = append(first, p.first...), append(removes, p.removes...)
	}
	for name := range sections {
		return nil, fault.New(fault.Invalid, "the document has an unknown section %q", name)
	}
	// First what goes: its name may be needed again. Of that first what refers to other components,
	// which keep what is in use. Last what is in use until something that stays has changed.
	before, after := split(slices.Concat(first, removes), dropped)
	return slices.Concat(before, makes, after), nil
}

// removal is the deletion of an object.
type removal struct {
	Step
	item
}

// split tells deletions that can come first from those of objects that are in use until then: what
// the plan takes out of an object that stays, and what one of these refers to in turn. References
// and names in other fields count alike; an object comes before those that it refers to.
func split(all []removal, dropped map[string]bool) (before, after []Step) {
	for _, r := range all {
		if !dropped[r.name] {
			before = append(before, r.Step)
			continue
		}
		after = append(after, r.Step)
		for _, v := range r.fields {
			mentions(v, dropped)
		}
	}
	return before, after
}

// mentions adds the texts of a value.
func mentions(value any, into map[string]bool) {
	switch v := value.(type) {
	case string:
		into[v] = true
	case []any:
		for _, one := range v {
			mentions(one, into)
		}
	case map[string]any:
		for _, one := range v {
			mentions(one, into)
		}
	}
}

type planner struct {
	component      string
	there          *loader
	kinds          []kind
	made           map[string]string // ids of what this plan creates, by component, kind and name
	dropped        map[string]bool   // the texts in fields that it changes
	first, removes []removal
	makes          []Step
}

func (p *planner) section(section map[string]any) error {
	for i := range p.kinds {
		k := &p.kinds[i]
		value, ok := section[k.Key]
		if !ok {
			continue
		}
		delete(section, k.Key)
		wanted, err := k.wanted(value)
		if err != nil {
			return err
		}
		if err := p.kind(k, wanted); err != nil {
			return err
		}
	}
	for key := range section {
		return fault.New(fault.Invalid, "%s has no %q", p.component, key)
	}
	return nil
}

// wanted are the objects of a kind as the document has them, by name.
func (k kind) wanted(value any) ([]item, error) {
	list, ok := value.([]any)
	if k.Single {
		list, ok = []any{value}, true
	}
	if !ok && value != nil {
		return nil, fault.New(fault.Invalid, "%s must be a list", k.Key)
	}
	var out []item
	for _, entry := range list {
		raw, err := json.Marshal(entry)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s contains something other than an object", k.Key)
		}
		var fields map[string]any
		if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
			return nil, fault.New(fault.Invalid, "%s contains something other than an object", k.Key)
		}
		out = append(out, item{name: nameIn(k.Object, fields), fields: fields})
	}
	slices.SortStableFunc(out, byName)
	if k.Alike {
		number(out)
	}
	for i := 1; i < len(out); i++ {
		if out[i].name == out[i-1].name {
			return nil, fault.New(fault.Invalid, "%s contains %s twice", k.Key, out[i].name)
		}
	}
	return out, nil
}

func (p *planner) kind(k *kind, wanted []item) error {
	stays := map[string]bool{}
	for _, w := range wanted {
		stays[w.name] = true
	}
	into := &p.removes
	for _, to := range k.Refs {
		if strings.Contains(to, ".") {
			into = &p.first
		}
	}
	for _, it := range k.items {
		if !stays[it.name] && !k.Single {
			*into = append(*into, removal{Step{
				Method: "DELETE", Path: k.Path + "/" + it.id, IfMatch: it.etag,
				Sign: '-', What: p.label(k, it.name),
			}, it})
		}
	}
	for _, w := range wanted {
		step, err := p.make(k, w.name, w.fields)
		if err != nil {
			return err
		}
		if step != nil {
			p.makes = append(p.makes, *step)
		}
	}
	return nil
}

func (p *planner) label(k *kind, name string) string {
	return strings.TrimSpace(p.component + " " + k.Key + " " + name)
}

// make creates what is missing and changes what differs; nil when neither is needed. What is
// missing and over stays so: a document of last month must not be refused for it.
func (p *planner) make(k *kind, name string, fields map[string]any) (*Step, error) {
	have, exists := k.find(name)
	if !exists && k.over(fields) {
		return nil, nil
	}
	step := &Step{What: p.label(k, name)}
	if !exists {
		step.Method, step.Path, step.ID, step.Sign = "POST", k.Path, db.NewID(), '+'
		p.made[p.component+"."+k.Key+"/"+name] = step.ID
	} else {
		fields = k.withoutRefs(fields)
		differing := changed(have.fields, fields)
		if len(differing) == 0 {
			return nil, nil
		}
		step.How = changes(differing, have.fields, fields)
		for _, f := range differing {
			mentions(have.fields[f], p.dropped)
		}
		step.Method, step.Path, step.IfMatch, step.Sign = "PUT", k.Path+"/"+have.id, have.etag, '~'
		if k.Single {
			step.Path = k.Path
		}
		merged := maps.Clone(have.fields)
		maps.Copy(merged, fields)
		fields = merged
	}
	body, err := p.body(k, fields)
	step.Body = body
	return step, err
}

// over tells whether the time of an object has passed, so that nothing would come of it.
func (k kind) over(fields map[string]any) bool {
	switch at := fields[k.Expires].(type) {
	case time.Time: // YAML has times of its own
		return at.Before(time.Now())
	case string:
		t, err := time.Parse(time.RFC3339, at)
		return err == nil && t.Before(time.Now())
	}
	return false
}

// withoutRefs says of each reference that may be null, and that the document leaves out, that it is:
// that is how one is exported.
func (k kind) withoutRefs(fields map[string]any) map[string]any {
	out := maps.Clone(fields)
	for field := range k.Refs {
		if _, given := out[document(field)]; !given && slices.Contains(k.Optional, field) {
			out[document(field)] = nil
		}
	}
	return out
}

// changed are the fields that the document has and that differ.
func changed(have, want map[string]any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(f string) bool { return reflect.DeepEqual(have[f], want[f]) })
}

func changes(fields []string, have, want map[string]any) string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = fmt.Sprintf("%s %s → %s", f, short(have[f]), short(want[f]))
	}
	return strings.Join(out, ", ")
}

func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if r := []rune(string(raw)); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return string(raw)
}

// body puts ids back where the document has names.
func (p *planner) body(k *kind, fields map[string]any) (json.RawMessage, error) {
	out := maps.Clone(fields)
	for field, to := range k.Refs {
		name, ok := out[document(field)].(string)
		if !ok && slices.Contains(k.Optional, field) {
			delete(out, document(field))
			continue
		}
		if !ok {
			return nil, fault.New(fault.Invalid, "%s needs %q", k.Key, document(field))
		}
		delete(out, document(field))
		id, found := p.find(to, name)
		if !found {
			return nil, fault.New(fault.Invalid, "%s refers to %s %q, which neither exists nor is in the document", k.Key, to, name)
		}
		out[field] = id
	}
	return json.Marshal(out)
}

// find is the id of what a reference names: as this plan makes it, or as it is there.
func (p *planner) find(to, name string) (id string, found bool) {
	full := to
	if !strings.Contains(to, ".") {
		full = p.component + "." + to
	}
	if id, found = p.made[full+"/"+name]; found {
		return id, true
	}
	it, found := p.there.kind(p.kinds, to).find(name)
	return it.id, found
}
