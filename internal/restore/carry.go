package restore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/db"
)

func (n Note) detail() json.RawMessage {
	if n.Reason == "" {
		return nil
	}
	raw, err := json.Marshal(map[string]string{"reason": n.Reason})
	if err != nil {
		return nil // a string always has a JSON form
	}
	return raw
}

// and adds to the reason.
func (n Note) and(said []string) Note {
	if n.Reason != "" {
		said = append([]string{n.Reason}, said...)
	}
	n.Reason = strings.Join(said, "; ")
	return n
}

// here are the tables whose rows are about this machine now, and in no archive: which archives there are, here and elsewhere,
// and what this node is called.
var here = []string{"backups", "backup_uploads", "dhcp_node"}

// Carry brings what stays true from the live database to the one that takes its place: the audit log, in
// which nothing that happened is ever missing, and what is known of the archives. Into a restored
// database it also brings higher session epochs, so that nobody is signed in by what the archive knew, and nobody stays
// signed in when that is undone. It ends with an audit entry of its own. All of it is one transaction. The anchors are those
// that gateway-apply keeps: by them it knows the audit log of this node from one that was begun anew.
func (c Cluster) Carry(ctx context.Context, from, to string, note Note, anchors []audit.Anchored) error {
	err := c.within(ctx, c.Prefix+from, func(src *pgx.Conn) error {
		return c.within(ctx, c.Prefix+to, func(dst *pgx.Conn) error {
			// A database that was lost, and comes back by undoing, has no log to keep.
			if there, err := has(ctx, dst, "audit_heads"); err != nil || !there {
				return err
			}
			return pgx.BeginFunc(ctx, dst, func(tx pgx.Tx) error {
				// One that was killed may still be under way in the server.
				if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('gateway/restore/carry', 0))`); err != nil {
					return err
				}
				// Rows as they are: no trigger numbers, records or refuses them.
				if _, err := tx.Exec(ctx, `set local session_replication_role = replica`); err != nil {
					return err
				}
				said, err := carryChains(ctx, src, tx, to, anchors)
				if err != nil {
					return err
				}
				if err := carryTables(ctx, src, tx); err != nil {
					return err
				}
				if err := carryPins(ctx, src, tx, to); err != nil {
					return err
				}
				signOut := endSessions
				if to == Restored {
					signOut = raiseEpochs
				}
				if err := signOut(ctx, src, tx); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, `set local session_replication_role = origin`); err != nil {
					return err
				}
				return c.append(ctx, tx, note.and(said))
			})
		})
	})
	if err != nil {
		return fmt.Errorf("carry the audit log from %s to %s: %w", from, to, err)
	}
	return nil
}

type chain struct {
	Node     string
	Seq      int64
	Hash     []byte
	BaseSeq  int64
	BaseHash []byte
	Kept     int // days
}

// carryChains makes every chain of the source one of the target. It returns what to say of those that were not.
func carryChains(ctx context.Context, src *pgx.Conn, tx pgx.Tx, to string, anchors []audit.Anchored) (said []string, err error) {
	if there, err := has(ctx, src, "audit_heads"); err != nil || !there {
		return nil, err
	}
	// Where one entry is still the one that root saw, the database was not lost: none of its chains is replaced, also none of another node.
	anchored, err := audit.HoldsAny(ctx, src, anchors)
	if err != nil {
		return nil, err
	}
	chains, err := db.List[chain](ctx, src, `select h.node_id, h.seq, h.hash, h.base_seq, h.base_hash, coalesce((to_jsonb(h) ->> 'kept_days')::int, 0)
		from audit_heads h order by h.node_id`)
	if err != nil {
		return nil, err
	}
	for _, ch := range chains {
		kept, err := carryChain(ctx, src, tx, ch, to, anchored)
		if err != nil {
			return nil, fmt.Errorf("chain of node %s: %w", ch.Node, err)
		}
		if kept != "" {
			said = append(said, kept)
		}
	}
	names, err := db.List[struct{ Kind, Name string }](ctx, src, `select kind, name from audit_names`)
	if err != nil {
		return nil, err
	}
	var b pgx.Batch
	for _, n := range names {
		b.Queue(`insert into audit_names (kind, name) values ($1, $2) on conflict do nothing`, n.Kind, n.Name)
	}
	return said, tx.SendBatch(ctx, &b).Close()
}

// carryChain brings one chain. What the target has is not taken for the same by the end of its chain alone when it
// came out of an archive: whoever made that could write any end, and any chain: one that is anchored is not replaced.
func carryChain(ctx context.Context, src *pgx.Conn, tx pgx.Tx, ch chain, to string, anchored bool) (said string, err error) {
	live, err := lengthOf(ctx, src, ch.Node)
	own, err2 := lengthOf(ctx, tx, ch.Node)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	var after int64
	switch {
	case own.There && live.Seq == 0:
		return "", nil // the database was lost and made anew: there is nothing to bring
	case own.Seq == 0:
	case to == Before:
		if after, said, err = goesOn(ctx, src, tx, live, own); err != nil || after < 0 {
			return said, err
		}
		// What was pruned since may be pruned again. It is not the restored database that says what goes from here.
		ch.BaseSeq, ch.BaseHash = own.BaseSeq, own.BaseHash
	case own.Seq > live.Seq && own.Entries > live.Entries:
		var stays bool
		if stays, said, err = staysInstead(ctx, src, tx, live, own, anchored); err != nil || stays {
			return said, err
		}
	}
	if after == 0 {
		if _, err := tx.Exec(ctx, `delete from audit_entries where node_id = $1`, ch.Node); err != nil {
			return "", err
		}
	}
	where := fmt.Sprintf("node_id = %s and seq > %d", literal(ch.Node), after)
	if err := copyRows(ctx, src, tx, "audit_entries", where); err != nil {
		return "", err
	}
	if _, err := tx.Exec(ctx, `delete from audit_entries where node_id = $1 and seq <= $2`, ch.Node, ch.BaseSeq); err != nil {
		return "", err
	}
	// How long entries are kept is lowered by an entry that says so, and by no archive.
	_, err = tx.Exec(ctx, `insert into audit_heads as h (node_id, seq, hash, base_seq, base_hash, kept_days) values ($1, $2, $3, $4, $5, greatest($6, 1))
		on conflict (node_id) do update set seq = $2, hash = $3, base_seq = $4, base_hash = $5, kept_days = greatest(h.kept_days, $6)`,
		ch.Node, ch.Seq, ch.Hash, ch.BaseSeq, ch.BaseHash, ch.Kept)
	return said, err
}

// staysInstead decides about a chain of the archive that is longer than the live one: it stays where that is another one, of a
// database that was begun anew. It returns what to say of that which does not stay.
func staysInstead(ctx context.Context, src *pgx.Conn, tx pgx.Tx, live, own length, anchored bool) (stays bool, said string, err error) {
	same, err := related(ctx, src, tx, live, own)
	if err != nil || same {
		return false, "", err
	}
	if anchored {
		return false, fmt.Sprintf("the audit log of node %s in the archive was not taken over: it has %d entries, none of them in the log from before the restore, which the anchors confirm",
			own.Node, own.Entries), nil
	}
	_, broken, err := audit.Head{NodeID: own.Node, Seq: own.Seq, Hash: own.Hash, BaseSeq: own.BaseSeq, BaseHash: own.BaseHash}.Verify(ctx, tx)
	if err != nil {
		return false, "", err
	}
	if broken != nil {
		return false, fmt.Sprintf("the audit log of node %s in the archive was not taken over: entry %d: %s", own.Node, broken.Seq, broken.Reason), nil
	}
	return true, longer(own, live), nil
}

// length is how much there is of a chain, by its entries and not by what its head says.
type length struct {
	Node     string
	There    bool
	Seq      int64
	Hash     []byte
	BaseSeq  int64
	BaseHash []byte
	Entries  int64
}

func lengthOf(ctx context.Context, q db.DB, node string) (length, error) {
	l := length{Node: node}
	err := q.QueryRow(ctx, `select true, h.seq, h.hash, h.base_seq, h.base_hash, n.entries
		from audit_heads h, lateral (select count(*) as entries from audit_entries e where e.node_id = h.node_id and e.seq > h.base_seq and e.seq <= h.seq) n
		where h.node_id = $1`, node).Scan(&l.There, &l.Seq, &l.Hash, &l.BaseSeq, &l.BaseHash, &l.Entries)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return l, err
}

// goesOn is for undoing, where the target is the old database and no archive: its entries stay. It returns the number
// after which the source goes on, and -1 when there is nothing to add.
func goesOn(ctx context.Context, src *pgx.Conn, tx pgx.Tx, live, own length) (after int64, kept string, err error) {
	follows, err := holds(ctx, src, own.Node, own.Seq, own.Hash)
	if err != nil || follows {
		return own.Seq, "", err
	}
	// After a kill it may have all of it already, and the entry about it.
	done, err := holds(ctx, tx, own.Node, live.Seq, live.Hash)
	if err != nil || done {
		return -1, "", err
	}
	return -1, fmt.Sprintf("the audit log of node %s from before the restore stays: that of the restored database is another one", own.Node), nil
}

func holds(ctx context.Context, q db.DB, node string, seq int64, hash []byte) (there bool, err error) {
	err = q.QueryRow(ctx, `select exists (select from audit_entries where node_id = $1 and seq = $2 and hash = $3)
		or exists (select from audit_heads where node_id = $1 and base_seq = $2 and base_hash = $3)`, node, seq, hash).Scan(&there)
	return there, err
}

// related reports whether two chains began as one: then they have the first entry in common that both can have.
func related(ctx context.Context, src *pgx.Conn, tx pgx.Tx, live, own length) (bool, error) {
	var hash []byte
	first := max(live.BaseSeq, own.BaseSeq) + 1
	err := src.QueryRow(ctx, `select hash from audit_entries where node_id = $1 and seq = $2`, live.Node, first).Scan(&hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return holds(ctx, tx, own.Node, first, hash)
}

// longer says why a chain of the archive stays. A log of years does not give way to that of a day, as when the node was set up anew.
func longer(own, live length) string {
	return fmt.Sprintf("the audit log of node %s in the archive stays: it has %d entries, and the one from before the restore, which has none of them, %d",
		own.Node, own.Entries, live.Entries)
}

func carryTables(ctx context.Context, src *pgx.Conn, tx pgx.Tx) error {
	for _, table := range here {
		if _, err := replaceRows(ctx, src, tx, table); err != nil {
			return err
		}
	}
	return nil
}

// replaceRows makes the rows of a table those of the source, where both have it.
func replaceRows(ctx context.Context, src *pgx.Conn, tx pgx.Tx, table string) (done bool, err error) {
	there, err := has(ctx, src, table)
	wanted, err2 := has(ctx, tx, table)
	if err := errors.Join(err, err2); err != nil || !there || !wanted {
		return false, err
	}
	if _, err := tx.Exec(ctx, "delete from "+pgx.Identifier{table}.Sanitize()); err != nil {
		return false, err
	}
	if err := copyRows(ctx, src, tx, table, "true"); err != nil {
		return false, fmt.Errorf("table %s: %w", table, err)
	}
	return true, nil
}

// raiseEpochs ends every session and API token that the archive has.
func raiseEpochs(ctx context.Context, src *pgx.Conn, tx pgx.Tx) error {
	var ids []string
	var epochs []int64
	there, err := has(ctx, src, "users")
	if err != nil {
		return err
	}
	if there {
		now, err := db.List[struct {
			ID    string
			Epoch int64
		}](ctx, src, `select id::text, session_epoch from users`)
		if err != nil {
			return err
		}
		for _, u := range now {
			ids, epochs = append(ids, u.ID), append(epochs, u.Epoch)
		}
	}
	_, err = tx.Exec(ctx, `update users u set session_epoch = 1 + greatest(u.session_epoch,
		(select o.epoch from unnest($1::text[], $2::bigint[]) as o(id, epoch) where o.id = u.id::text))`, ids, epochs)
	return err
}

// endSessions is for undoing: who was signed in before the restore may have been signed out since. API tokens of the
// old state stay: a restore that nobody confirmed must not end them for good, as a higher epoch would.
func endSessions(ctx context.Context, _ *pgx.Conn, tx pgx.Tx) error {
	if there, err := has(ctx, tx, "user_sessions"); err != nil || !there {
		return err
	}
	_, err := tx.Exec(ctx, `update user_sessions set revoked_at = now() where revoked_at is null`)
	return err
}

// has reports whether there is such a table: a database that was lost has none.
func has(ctx context.Context, q db.DB, table string) (there bool, err error) {
	err = q.QueryRow(ctx, `select to_regclass('public.' || quote_ident($1)) is not null`, table).Scan(&there)
	return there, err
}

// copyRows copies rows of a table between databases, in the columns that both have.
func copyRows(ctx context.Context, src *pgx.Conn, tx pgx.Tx, table, where string) error {
	from, err := columns(ctx, src, table)
	to, err2 := columns(ctx, tx, table)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	both := slices.DeleteFunc(to, func(c string) bool { return !slices.Contains(from, c) })
	for i, c := range both {
		both[i] = pgx.Identifier{c}.Sanitize()
	}
	list, name := strings.Join(both, ", "), pgx.Identifier{table}.Sanitize()
	r, w := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := src.PgConn().CopyTo(ctx, w, fmt.Sprintf("copy (select %s from %s where %s) to stdout", list, name, where))
		_ = w.CloseWithError(err)
		sent <- err
	}()
	_, err = tx.Conn().PgConn().CopyFrom(ctx, r, fmt.Sprintf("copy %s (%s) from stdin", name, list))
	_ = r.CloseWithError(errors.New("the copy ended"))
	return errors.Join(err, <-sent)
}

// columns are those that can be written.
func columns(ctx context.Context, q db.DB, table string) ([]string, error) {
	rows, err := q.Query(ctx, `select attname from pg_attribute where attrelid = ('public.' || quote_ident($1))::regclass
		and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// literal is a text in SQL that takes no parameters, in letters and digits only.
func literal(text string) string {
	return "convert_from('\\x" + hex.EncodeToString([]byte(text)) + "'::bytea, 'UTF8')"
}
