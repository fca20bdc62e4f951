package app_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/daemons"
)

// samples are what a component brings for the tests of all operations and of all columns, in
// testdata/samples.json of its folder.
type samples struct {
	// Objects are bodies that create one, by path. "{unique}" stands for a word that nothing else
	// has, "{/path}" for the id of an object of that path, which is made first, and "{/path#field}"
	// for another field of it.
	Objects map[string]fields `json:"objects"`
	// Settings are paths of settings, which are written back as they are.
	Settings []string `json:"settings"`
	// Acts are the other operations.
	Acts map[string]struct {
		On   string `json:"on"` // the path of the object whose id is in the operation's
		Body fields `json:"body"`
	} `json:"acts"`
	// WithDaemon are operations that need a daemon, or files of its, to succeed; tests of the
	// component show that they are audited.
	WithDaemon []string `json:"with_daemon"`
	// NotUndone are operations whose changes cannot be undone, with the code of the reason.
	NotUndone map[string]string `json:"not_undone"`

	// Lasts are the operations, by id, with which a stolen session could make itself a power that outlasts it (an account, a
	// token, a place that gets copies), and why. An empty one says that the component has none; without it, it has not said.
	Lasts map[string]string `json:"lasts"`

	// Switched are the services that a setting switches, by name: where that is written, and the ports that clients ask, and
	// those for this node alone, while it is on; none for one that listens nowhere. Row carry.3 of the bars switches them on a node.
	Switched map[string]struct {
		Path     string   `json:"path"`
		Protocol string   `json:"protocol"`
		Ports    []string `json:"ports"`
		Inner    []string `json:"inner"`
	} `json:"switched"`
	// Bounded are tables of what happened that no Kept of the component names, and what keeps each from growing for ever. A
	// test of component/all asks for it.
	Bounded map[string]string `json:"bounded"`

	// Fill are statements that switch on what is off by default, once there is one object of each.
	Fill []string `json:"fill"`
	// FreeText are columns, "table.column", whose text stands in a file as the operator wrote it:
	// within one line, and never as a line of its own.
	FreeText []string `json:"free_text"`
	// AnyNumber are columns that may hold any number: seconds, bytes and requests that somebody
	// counts, or the order of rows.
	AnyNumber []string `json:"any_number"`
	// Selects are columns that decide which rows are in use and which belong together, where a
	// value that matches nothing is one like any other.
	Selects []string `json:"selects"`
	// NamedBy are the components that name what is wrong with a column, where others that read it
	// need not.
	NamedBy map[string]string `json:"named_by"`

	component string // whose folder it is
}

// allSamples are those of all components. A folder without any has none that need them.
func allSamples(t testing.TB) (all []samples) {
	t.Helper()
	paths, err := filepath.Glob("../component/*/testdata/samples.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no component has samples: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var one samples
		read := json.NewDecoder(bytes.NewReader(text))
		read.DisallowUnknownFields()
		if err := read.Decode(&one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		one.component = filepath.Base(filepath.Dir(filepath.Dir(path)))
		all = append(all, one)
	}
	return all
}

// sampled gets the operations ready that components bring samples for.
func sampled(t testing.TB) map[string]get {
	t.Helper()
	all, objects := map[string]get{}, map[string]fields{}
	list := allSamples(t)
	for _, s := range list {
		maps.Copy(objects, s.Objects)
	}
	var body func(of fields) with
	body = func(of fields) with {
		return func(actor client) fields {
			out, _ := filledIn(of, func(path, field string) any {
				var one fields
				actor.Post(path, body(objects[path])(actor)).Want(http.StatusCreated).Data(&one)
				return one[field]
			}).(fields)
			return out
		}
	}
	for _, s := range list {
		bodies := map[string]with{}
		for path, of := range s.Objects {
			bodies[path] = body(of)
		}
		resources(all, bodies)
		for _, path := range s.Settings {
			all["PUT "+path] = writtenBack(path)
		}
		for op, act := range s.Acts {
			send := body(act.Body)
			if act.Body == nil {
				send = nil
			}
			switch {
			case act.On != "":
				all[op] = on(act.On, body(objects[act.On]), send)
			case send == nil:
				all[op] = create(func(client) fields { return nil })
			default:
				all[op] = create(send)
			}
		}
	}
	return all
}

// filledIn is a value with words for what stands for them; of makes an object, and answers a field of it.
func filledIn(value any, of func(path, field string) any) any {
	switch v := value.(type) {
	case fields:
		out := fields{}
		for k, one := range v {
			out[k] = filledIn(one, of)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = filledIn(one, of)
		}
		return out
	case string:
		if strings.HasPrefix(v, "{/") {
			path, field, _ := strings.Cut(strings.Trim(v, "{}"), "#")
			return of(path, cmp.Or(field, "id"))
		}
		return strings.ReplaceAll(v, "{unique}", unique())
	}
	return value
}

// writtenBack sends settings as they are.
func writtenBack(path string) get {
	return func(s *stage, _ string, actor client) (string, any) {
		s.nothingWaits()
		var now fields
		actor.Get(path).Want(http.StatusOK).Data(&now)
		for _, f := range []string{"id", "revision", "created_at", "updated_at"} {
			delete(now, f)
		}
		return "", now
	}
}

// withDaemons need one to succeed, or files of its; their own packages show that they are audited.
func withDaemons(t testing.TB) (all []string) {
	for _, s := range allSamples(t) {
		all = append(all, s.WithDaemon...)
	}
	return all
}

// columns are what is known of the columns that daemons render from.
type columns struct {
	freeText, anyNumber, selects []string
	namedBy                      map[string]string
}

func sampledColumns(t testing.TB) columns {
	all := columns{namedBy: map[string]string{}}
	for _, s := range allSamples(t) {
		all.freeText = append(all.freeText, s.FreeText...)
		all.anyNumber = append(all.anyNumber, s.AnyNumber...)
		all.selects = append(all.selects, s.Selects...)
		maps.Copy(all.namedBy, s.NamedBy)
	}
	return all
}

// A service that its settings switch says where, so that whoever switches all of them knows.
func TestEverySwitchedServiceSaysWhere(t *testing.T) {
	known, operations := map[string]bool{}, ready(t)
	for _, s := range allSamples(t) {
		for name, at := range s.Switched {
			if operations["PUT "+at.Path] == nil {
				t.Errorf("%s is switched by %s, and no such settings are known", name, at.Path)
			}
			known[s.component+" "+name] = at.Protocol == "none" || at.Protocol != "" && len(at.Ports) > 0
		}
	}
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, s := range d.Services {
			of := d.Name + " " + s.Name
			if s.Setting != "" && !known[of] {
				t.Errorf(`%s can be switched: "switched" in testdata/samples.json of %s says by which settings, and which ports are open then`, s.Name, d.Name)
			}
			delete(known, of)
		}
	}
	for of := range known {
		t.Errorf("there is no such service: %s", of)
	}
}

// A sample that no operation or column has is one that somebody forgot to remove.
func TestSamplesAreOfWhatThereIs(t *testing.T) {
	s := newStage(t)
	var known []string
	for _, op := range operations(t, s.App) {
		known = append(known, op.String())
	}
	for op := range sampled(t) {
		if !slices.Contains(known, op) {
			t.Errorf("there is a sample of %s, and no such operation", op)
		}
	}
	all := sampledColumns(t)
	for _, c := range slices.Concat(all.freeText, all.anyNumber, all.selects, slices.Collect(maps.Keys(all.namedBy))) {
		table, column, _ := strings.Cut(c, ".")
		if s.count(`select count(*) from information_schema.columns where table_name = $1 and column_name = $2`, table, column) != 1 {
			t.Errorf("there is something known of %s, and no such column", c)
		}
	}
}
