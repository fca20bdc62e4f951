package policy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

type object = firewalltest.Object

// walk writes at random, in transactions that are kept or not, the way changes, reverts and
// the resolver do.
type walk struct {
	*rand.Rand
	r       *firewalltest.Rig
	objects []string
	groups  []string
	members []string
	rules   []string
}

// one is any of a list.
func (w *walk) one(list []string) string { return list[w.IntN(len(list))] }

func (w *walk) statement() (sql string, args []any) {
	value := fmt.Sprintf("10.0.%d.%d", w.IntN(2), w.IntN(64))
	kind, text := "host", value
	switch w.IntN(6) {
	case 0:
		kind, text = "network", value+"/30"
	case 1:
		kind, text = "range", value+"-10.0.1.200"
	case 2:
		kind, text = "host", []string{"255.255.255.255", "0.0.0.0", "2001:db8::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}[w.IntN(4)]
	case 3:
		kind = "fqdn"
	}
	switch w.IntN(9) {
	case 0:
		w.objects = append(w.objects, db.NewID())
		return `insert into firewall_address_objects (id, revision, created_at, updated_at, name, kind, value, description) values ($1, 1, now(), now(), gen_random_uuid()::text, $2, $3, '')
			on conflict do nothing`, []any{w.objects[len(w.objects)-1], kind, text}
	case 1, 2:
		w.members = append(w.members, db.NewID())
		return `insert into firewall_address_members (id, revision, created_at, updated_at, group_id, object_id)
			select $1, 1, now(), now(), $2, id from firewall_address_objects where id = $3 on conflict do nothing`, []any{w.members[len(w.members)-1], w.one(w.groups), w.one(w.objects)}
	case 3:
		return `update firewall_address_objects set value = $2, kind = $3 where id = $1`, []any{w.one(w.objects), w.one([]string{text, text, "not an address"}), kind}
	case 4:
		return `delete from firewall_address_members where id = $1`, []any{w.one(w.members)}
	case 5:
		return `delete from firewall_address_objects o where id = $1 and not exists (select from firewall_address_members m where m.object_id = o.id)
			and not exists (select from firewall_rules where src_object_id = o.id)`, []any{w.one(w.objects)}
	case 6:
		return `insert into firewall_resolved (object_id, address, resolved_at) select id, $2, now() from firewall_address_objects where id = $1 and kind = 'fqdn'
			on conflict do nothing`, []any{w.one(w.objects), value}
	case 7:
		return `update firewall_address_members set group_id = $2 where id = $1 and not exists (select from firewall_address_members o where o.group_id = $2
			and o.object_id = firewall_address_members.object_id)`, []any{w.one(w.members), w.one(w.groups)}
	default:
		return `update firewall_rules set src_kind = $2::text, src_object_id = case when $2::text = 'object' then (select min(id::text)::uuid from firewall_address_objects) end,
			enabled = $3 where id = $1`, []any{w.one(w.rules), w.one([]string{"object", "group", "any"}), w.IntN(4) > 0}
	}
}

// step is one transaction. The reader that keeps and a new one must read the same, while it is open and after.
func (w *walk) step(keep bool) {
	t := w.r.T
	t.Helper()
	ctx := t.Context()
	w.r.Tx(func(tx pgx.Tx) error {
		var b pgx.Batch
		for range 1 + w.IntN(3) {
			sql, args := w.statement()
			b.Queue(sql, args...)
		}
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		if w.IntN(2) == 0 {
			w.same(ctx, tx)
		}
		if !keep {
			return componenttest.ErrUndo
		}
		return nil
	})
	if w.IntN(2) == 0 {
		w.same(ctx, w.r.Pool)
	}
}

func (w *walk) same(ctx context.Context, q db.DB) {
	t := w.r.T
	t.Helper()
	got, err1 := w.r.Policy.Load(ctx, q)
	want, err2 := policy.New(daemon.NeedsOf(nil)).Load(ctx, q)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Policy, want.Policy) {
		t.Fatalf("the cache has %+v\nthe database %+v", got.Policy, want.Policy)
	}
	if !reflect.DeepEqual(got.Problems, want.Problems) {
		t.Fatalf("the cache complains of %v\nthe database %v", got.Problems, want.Problems)
	}
}

func TestACacheThatFollowsIsOneThatIsReadAnew(t *testing.T) {
	r := firewalltest.New(t)
	w := &walk{Rand: rand.New(rand.NewPCG(6, 1)), r: r}
	w.objects, w.members = []string{r.Address("a", "host", "10.0.0.1")}, []string{db.NewID()}
	for _, name := range []string{"x", "y", "z"} {
		group := r.Made("/firewall/address-groups", object{"name": name})
		w.groups = append(w.groups, group)
		w.rules = append(w.rules, r.Made("/firewall/rules", object{"name": name, "src_kind": "group", "src_group_id": group, "action": "drop"}))
	}
	for range 600 {
		w.step(w.IntN(3) > 0)
	}
	w.same(t.Context(), r.Pool)
	if objects, since := r.Policy.Kept(); objects < 10 || since == 0 {
		t.Errorf("the cache has %d objects of transaction %d: nothing was shown", objects, since)
	}
}

func TestAnOlderTransactionIsNotShownWhatItCannotSee(t *testing.T) {
	r := firewalltest.New(t)
	group := r.Made("/firewall/address-groups", object{"name": "g"})
	r.Made("/firewall/rules", object{"name": "r", "src_kind": "group", "src_group_id": group, "action": "drop"})
	err := pgx.BeginTxFunc(t.Context(), r.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(old pgx.Tx) error {
		if _, err := old.Exec(t.Context(), `select 1`); err != nil { // its moment is now
			return err
		}
		r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": r.Address("a", "host", "10.0.0.1")}).Want(201)
		r.Rendered()
		s, err := r.Policy.Load(t.Context(), old)
		if err != nil {
			return err
		}
		if got := s.Policy.Sets[group]; len(got.V4) != 0 {
			t.Errorf("it sees %v, which came later", got.V4)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A truncate fires no trigger of rows; what is gone must not stay in the rules.
func TestACacheSeesATruncate(t *testing.T) {
	for _, sql := range []string{`truncate firewall_address_members`, `truncate firewall_resolved`, `truncate firewall_rules cascade`, `truncate firewall_address_objects cascade`} {
		t.Run(sql, func(t *testing.T) {
			r := firewalltest.New(t)
			group := r.Made("/firewall/address-groups", object{"name": "g"})
			for name, kind := range map[string]string{"10.0.0.1": "host", "a.example.com": "fqdn"} {
				r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": r.Address(name, kind, name)}).Want(201)
			}
			r.Made("/firewall/rules", object{"name": "r", "src_kind": "group", "src_group_id": group, "action": "drop"})
			r.Restore(`insert into firewall_resolved (object_id, address, resolved_at) select id, '10.0.0.2', now() from firewall_address_objects where kind = 'fqdn'`)
			w := &walk{r: r}
			w.same(t.Context(), r.Pool)
			before, err := r.Policy.Load(t.Context(), r.Pool)
			if err != nil {
				t.Fatal(err)
			}
			had := fmt.Sprint(before.Policy)
			r.Restore(sql)
			w.same(t.Context(), r.Pool)
			if now, err := r.Policy.Load(t.Context(), r.Pool); err != nil || fmt.Sprint(now.Policy) == had {
				t.Errorf("it made no difference (%v): nothing was shown", err)
			}
		})
	}
}
