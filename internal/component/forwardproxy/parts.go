package forwardproxy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/namelist"
)

// stored is what a list's row says of its names: the hashes of its parts, which are rows of their own.
type stored struct {
	hashes []string
	size   int
	fresh  map[string]string // parts that may not be rows yet, by their hash
	// repairs is set where rows of the same names are missing, or are others than their hash says.
	repairs bool
}

// replaced is the list with other names. Of the parts that stay nothing is read, and what cannot be
// read of the others counts as no names: the list is whole again then.
func (l stored) replaced(ctx context.Context, q db.DB, parts [][]string) (stored, NamesResult, error) {
	now := stored{fresh: map[string]string{}}
	for _, p := range parts {
		now.add(p)
	}
	lost, err := unreadable(ctx, q, l.hashes)
	if err != nil {
		return stored{}, NamesResult{}, err
	}
	now.repairs = len(lost) > 0
	var others []int
	for i, hash := range l.hashes {
		if len(l.hashes) != len(now.hashes) || hash != now.hashes[i] || slices.Contains(lost, hash) {
			others = append(others, i)
		}
	}
	there := slices.DeleteFunc(pick(l.hashes, others), func(hash string) bool { return slices.Contains(lost, hash) })
	texts, err := readTexts(ctx, q, there)
	if err != nil {
		return stored{}, NamesResult{}, err
	}
	if len(l.hashes) != len(now.hashes) { // they are split otherwise, and compared as a whole
		return now, result(namelist.Split(namelist.Names(strings.Join(texts, "")), len(parts)), parts, now.size), nil
	}
	was := make([][]string, len(others))
	for i, number := range others {
		if !slices.Contains(lost, l.hashes[number]) {
			was[i], texts = namelist.Names(texts[0]), texts[1:]
		}
	}
	return now, result(was, pick(parts, others), now.size), nil
}

// edited is the list with names more and less. It reads the parts that these are in, unless the list
// has grown so much that it is split anew.
func (l stored) edited(ctx context.Context, q db.DB, add, remove []string) (stored, NamesResult, error) {
	parts := namelist.Parts(l.size+len(add), len(l.hashes))
	if parts != len(l.hashes) {
		was, err := l.all(ctx, q)
		if err != nil {
			return stored{}, NamesResult{}, err
		}
		now := namelist.Split(slices.Concat(was...), parts)
		for i := range now {
			now[i] = without(namelist.Split(append(now[i], ofPart(add, i, parts)...), 1)[0], ofPart(remove, i, parts))
		}
		return l.replaced(ctx, q, now)
	}
	var touched []int
	for _, name := range slices.Concat(add, remove) {
		touched = append(touched, namelist.PartOf(name, parts))
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	was, err := l.read(ctx, q, touched)
	if err != nil {
		return stored{}, NamesResult{}, err
	}
	now := stored{hashes: slices.Clone(l.hashes), size: l.size, fresh: map[string]string{}}
	after := make([][]string, len(touched))
	for i, number := range touched {
		after[i] = without(namelist.Split(slices.Concat(was[i], ofPart(add, number, parts)), 1)[0], ofPart(remove, number, parts))
		now.put(number, after[i])
		now.size += len(after[i]) - len(was[i])
	}
	return now, result(was, after, now.size), nil
}

func ofPart(names []string, number, parts int) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return namelist.PartOf(n, parts) != number })
}

// without is sorted names but for some.
func without(names, remove []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(remove, n) })
}

func pick[T any](all []T, numbers []int) (out []T) {
	for _, i := range numbers {
		out = append(out, all[i])
	}
	return out
}

func (l *stored) add(names []string) {
	l.hashes = append(l.hashes, "")
	l.put(len(l.hashes)-1, names)
	l.size += len(names)
}

func (l *stored) put(number int, names []string) {
	text := namelist.Text(names)
	l.hashes[number] = namelist.Hash(text)
	l.fresh[l.hashes[number]] = text
}

// result counts the names of parts that came and went.
func result(was, now [][]string, size int) NamesResult {
	before, after, same := 0, 0, 0
	for i := range now {
		before, after = before+len(was[i]), after+len(now[i])
		for a, b := was[i], now[i]; len(a) > 0 && len(b) > 0; {
			switch strings.Compare(a[0], b[0]) {
			case 0:
				same++
				a, b = a[1:], b[1:]
			case -1:
				a = a[1:]
			default:
				b = b[1:]
			}
		}
	}
	return NamesResult{Size: size, Added: after - same, Removed: before - same}
}

func (l stored) all(ctx context.Context, q db.DB) ([][]string, error) {
	numbers := make([]int, len(l.hashes))
	for i := range numbers {
		numbers[i] = i
	}
	return l.read(ctx, q, numbers)
}

// read are the names of some parts, in the order of their numbers.
func (l stored) read(ctx context.Context, q db.DB, numbers []int) ([][]string, error) {
	texts, err := readTexts(ctx, q, pick(l.hashes, numbers))
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(texts))
	for i, t := range texts {
		out[i] = namelist.Names(t)
	}
	return out, nil
}

// sound is whether a part is what its hash says, as namelist.Hash has it; else somebody wrote past the API.
const sound = `encode(substr(sha256(convert_to(p.names, 'UTF8')), 1, 16), 'hex') = p.hash`

// unreadable are the parts that are not there, or not as they were.
func unreadable(ctx context.Context, q db.DB, hashes []string) (lost []string, err error) {
	err = q.QueryRow(ctx, `select coalesce(array_agg(w.hash), '{}') from unnest($1::text[]) w (hash)
		where not exists (select from forwardproxy_list_parts p where p.hash = w.hash and `+sound+`)`, hashes).Scan(&lost)
	if err != nil {
		return nil, fmt.Errorf("look for the names of a list: %w", err)
	}
	return lost, nil
}

// readTexts are parts in the order of their hashes.
func readTexts(ctx context.Context, q db.DB, hashes []string) ([]string, error) {
	rows, err := db.List[struct{ Hash, Names string }](ctx, q, `select p.hash, p.names from unnest($1::text[]) with ordinality w (hash, place)
		join forwardproxy_list_parts p on p.hash = w.hash order by w.place`, hashes)
	if err != nil {
		return nil, fmt.Errorf("read the names of a list: %w", err)
	}
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		if namelist.Hash(r.Names) == r.Hash { // else somebody wrote past the API
			out = append(out, r.Names)
		}
	}
	if len(out) != len(hashes) {
		return nil, fault.New(fault.Conflict, "the names of this list cannot be read; replace them")
	}
	return out, nil
}

// keep has parts that a list loses be kept for a month from now, for a revert.
func keep(ctx context.Context, tx db.DB, hashes []string) error {
	if _, err := tx.Exec(ctx, `update forwardproxy_list_parts set used_at = now() where hash = any($1)`, hashes); err != nil {
		return fmt.Errorf("keep the names of a list: %w", err)
	}
	return nil
}

// mostKept is how many bytes the parts that no list has may take.
const mostKept = 256 << 20

// store writes the parts of a list that are not there, and removes what no list has had for a month,
// or what is too much of it: the oldest.
func (l stored) store(ctx context.Context, tx db.DB, id string) error {
	var hashes, texts []string
	for hash, text := range l.fresh {
		hashes, texts = append(hashes, hash), append(texts, text)
	}
	_, err := tx.Exec(ctx, `update forwardproxy_list_parts set used_at = now() where used_at < now() - interval '1 day' and hash in (select unnest(parts) from forwardproxy_lists)`)
	if err == nil {
		_, err = tx.Exec(ctx, `delete from forwardproxy_list_parts p where p.hash = any($1) and not `+sound, hashes)
	}
	if err == nil {
		_, err = tx.Exec(ctx, `insert into forwardproxy_list_parts (hash, names, used_at) select h, n, now() from unnest($1::text[], $2::text[]) w (h, n)
			on conflict (hash) do update set used_at = now()`, hashes, texts)
	}
	if err == nil {
		_, err = tx.Exec(ctx, `delete from forwardproxy_list_parts where used_at < now() - interval '30 days'`)
	}
	if err == nil { // the size as it is stored, for which no name is read
		_, err = tx.Exec(ctx, `delete from forwardproxy_list_parts where hash in (
			select hash from (select hash, sum(pg_column_size(names)) over (order by used_at desc, hash) as bytes from forwardproxy_list_parts
				where hash <> all($2::text[]) and hash not in (select unnest(parts) from forwardproxy_lists where id <> $1)) kept where bytes > $3)`, id, l.hashes, mostKept)
	}
	if err != nil {
		return fmt.Errorf("store the names of a list: %w", err)
	}
	return nil
}
