package forwardproxy_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/fault"
	"gateway/internal/namelist"
)

// longAgo has all parts be as if they had been stored so long ago, and no list changed since.
const longAgo = `update forwardproxy_list_parts set used_at = now() - interval '40 days'`

// The 30 days begin when a list loses its names, not when it got them.
func TestNamesAreKeptFromTheDayTheyGo(t *testing.T) {
	r := newRig(t)
	other := newList(r, "other", "o.test")
	for what, lose := range map[string]func(path string){
		"a delete":      func(path string) { r.Do("DELETE", path, nil).Want(200) },
		"other names":   func(path string) { r.Do("PUT", path+"/names", object{"names": "z.test"}).Want(200) },
		"one name more": func(path string) { r.Do("POST", path+"/names", object{"add": []string{"z.test"}}).Want(200) },
	} {
		path := newList(r, "ads", "a.test", "b.test")
		r.Restore(longAgo)
		lose(path)
		id := lastChange(r)
		r.Do("POST", other+"/names", object{"add": []string{strings.ReplaceAll(what, " ", "-") + ".test"}}).Want(200)
		if err := revert(r, id); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if size := r.Do("GET", path, nil).Want(200).Field("size"); size != "2" {
			t.Errorf("%s: %s names", what, size)
		}
		r.Do("DELETE", path, nil).Want(200)
	}
}

// What a revert takes away can be brought back as well.
func TestARevertKeepsTheNamesThatGo(t *testing.T) {
	r := newRig(t)
	other, path := newList(r, "other", "o.test"), newList(r, "ads", "a.test")
	r.Do("PUT", path+"/names", object{"names": "b.test"}).Want(200)
	put := lastChange(r)
	r.Restore(`update forwardproxy_list_parts set used_at = case names when E'b.test\n' then now() - interval '40 days' else now() end`)
	if err := revert(r, put); err != nil {
		t.Fatal(err)
	}
	id := lastChange(r)
	r.Do("POST", other+"/names", object{"add": []string{"p.test"}}).Want(200)
	if err := revert(r, id); err != nil {
		t.Error(err)
	}
}

// Of names that no list has, the oldest go when they are too many; those of lists stay, however old.
func TestEarlierNamesAreBounded(t *testing.T) {
	r := newRig(t)
	r.Restore(`alter table forwardproxy_list_parts alter names set storage external`)
	path := newList(r, "ads", "a.test")
	newList(r, "other", "o.test")
	r.Restore(`insert into forwardproxy_list_parts select n::text, repeat('a', 90 << 20), now() - n * interval '1 day' from generate_series(1, 3) n`)
	r.Restore(`update forwardproxy_list_parts set used_at = now() - interval '12 hours' where length(names) < 100`)
	r.Do("PUT", path+"/names", object{"names": "b.test"}).Want(200)
	var left string
	err := r.Pool.QueryRow(t.Context(), `select string_agg(k, ' ' order by k) from (select case when length(hash) = 1 then hash else left(names, 6) end as k from forwardproxy_list_parts)`).Scan(&left)
	if err != nil || left != "1 2 a.test b.test o.test" {
		t.Errorf("left are %s, %v", left, err)
	}
}

// long makes a list of one part with so many MiB, past the API.
func long(r *componenttest.Rig, name string, size int) (path string) {
	r.T.Helper()
	path = newList(r, name)
	hash := namelist.Hash(name)
	r.Restore(`insert into forwardproxy_list_parts values ($1, repeat('a', $2::int << 20), now())`, hash, size)
	r.Restore(`update forwardproxy_lists set parts = array[$1] where name = $2`, hash, name)
	return path
}

// Names are bounded by their length too, and for a revert as for anybody.
func TestNamesAreBoundedByTheirLength(t *testing.T) {
	r := newRig(t)
	gone := long(r, "gone", 30)
	r.Do("DELETE", gone, nil).Want(200)
	deleted := lastChange(r)
	long(r, "one", 30)
	path := newList(r, "ads", "a.test")
	r.Restore(`insert into forwardproxy_list_parts values ('long', repeat('a', 33 << 20), now())`)
	r.Restore(`update forwardproxy_lists set parts = array[parts[1], 'long'] where name = 'ads'`)
	name := "b.test"
	for i := 0; namelist.PartOf(name, 2) != 0; i++ {
		name = fmt.Sprintf("b%d.test", i)
	}
	if a := r.Do("POST", path+"/names", object{"add": []string{name}}); a.Status != 400 || !strings.Contains(a.Complaint("names"), "32 MiB") {
		t.Errorf("a list that is too long: %d %+v", a.Status, a.Error)
	}
	r.Edit(path, object{"description": "too long, and still to be named"}).Want(200)
	other := newList(r, "other", "a.test")
	r.Restore(`update forwardproxy_list_parts set names = repeat('a', 35 << 20) where hash = 'long'`)
	if a := r.Do("PUT", other+"/names", object{"names": "b.test"}); a.Status != 409 || !strings.Contains(a.Error.Message, "64 MiB") {
		t.Errorf("lists that are too long together: %d %+v", a.Status, a.Error)
	}
	if f, ok := fault.Of(revert(r, deleted)); !ok || !strings.Contains(f.Message, "64 MiB") {
		t.Errorf("a revert to lists that are too long together: %+v", f)
	}
}

// Names that were lost, or written past the API, can be set again: the same ones and others.
func TestReplacingNamesRepairsAList(t *testing.T) {
	r := newRig(t)
	for i, damage := range []string{`delete from forwardproxy_list_parts`, `update forwardproxy_list_parts set names = E'x.test\n'`} {
		for j, names := range []string{"a.test\nb.test", "b.test\nc.test", "", "a.test" + strings.Repeat("\nn%d.example.com", 5000)} {
			for n := range strings.Count(names, "%d") {
				names = strings.Replace(names, "%d", strconv.Itoa(n), 1)
			}
			path := newList(r, fmt.Sprintf("l%d%d", i, j), "a.test", "b.test")
			r.Restore(damage)
			r.Do("POST", path+"/names", object{"add": []string{"d.test"}}).Want(409)
			r.Do("PUT", path+"/names", object{"names": names}).Want(200)
			got := r.Do("GET", path+"/names", nil).Want(200)
			if count := strings.Count(got.Field("names"), ".test"); count != strings.Count(names, ".test") {
				t.Errorf("%s, then %.20q: it has %.200s", damage, names, got.Data)
			}
			r.Do("POST", path+"/names", object{"add": []string{"d.test"}}).Want(200)
			r.Do("DELETE", path, nil).Want(200)
		}
	}
}
