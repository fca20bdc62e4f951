package forwardproxy_test

import (
	"strings"
	"testing"
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
