package backup

import (
	"context"
	"fmt"

	"gateway/internal/backup/offsite"
	"gateway/internal/db"
)

// claim notes that a name at a target is ours. It is noted first: whoever is killed in between leaves a name that the next
// retention does not find, and never an archive that nobody removes.
func (s *service) claim(ctx context.Context, t stored, object string) error {
	_, err := s.DB.Exec(ctx, `insert into backup_uploads (place, name, put_at) values ($1, $2, $3) on conflict do nothing`, t.Place, object, s.Now())
	if err != nil {
		return fmt.Errorf("note what is put at target %s: %w", t.ID, err)
	}
	return nil
}

// retain removes what is not kept any longer of what this node put at a target, after put was put there. What cannot be
// removed is in the log: a bucket may allow no deletion.
func (s *service) retain(ctx context.Context, to offsite.Target, t stored, put string) error {
	keep := t.Keep
	if keep == 0 {
		state, err := s.Setup.Load()
		if err != nil {
			return err
		}
		keep = state.Retention.Backups
	}
	rows, err := db.List[struct{ Name string }](ctx, s.DB, `select name from backup_uploads where place = $1`, t.Place)
	if err != nil {
		return fmt.Errorf("list what was put at target %s: %w", t.ID, err)
	}
	ours := make([]string, 0, len(rows))
	for _, r := range rows {
		ours = append(ours, r.Name)
	}
	kept, err := to.Retain(ctx, s.outside(), ours, keep, put)
	if err != nil {
		s.Log.Warn("backup", "target", t.ID, "step", "retain", "err", err)
	}
	if !kept.Listed {
		return nil
	}
	// What the target only does not show stays known: it may be a disk that is not mounted, and shows it again later.
	_, err = s.DB.Exec(ctx, `delete from backup_uploads where place = $1 and name = any($2)`, t.Place, kept.Removed)
	if err != nil {
		return fmt.Errorf("note what is left at target %s: %w", t.ID, err)
	}
	_, err = s.DB.Exec(ctx, `insert into backup_target_status (target_id, foreign_archives) select id, $2 from backup_targets where id = $1
		on conflict (target_id) do update set foreign_archives = excluded.foreign_archives`, t.ID, kept.Foreign)
	if err != nil {
		return fmt.Errorf("note what else target %s has: %w", t.ID, err)
	}
	return nil
}

// mostClaims is how many names of a place are known; more than any number to keep leaves there.
const mostClaims = 1000

// claimTime is how long what was put where no target leads any more is known: the target may come back.
const claimTime = 365 * day

// forgetClaims bounds what is known of targets that allow no deletion, or whose archives somebody else removes, and of those that are gone.
func (s *service) forgetClaims(ctx context.Context) error {
	_, err := s.DB.Exec(ctx, `delete from backup_uploads u using (select place, name, row_number() over (partition by place order by put_at desc, name desc) as n from backup_uploads) r
		where u.place = r.place and u.name = r.name
			and (r.n > $1 or u.put_at < $2 and not exists (select from backup_targets t where `+placeOf+` = u.place))`, mostClaims, s.Now().Add(-claimTime))
	if err != nil {
		return fmt.Errorf("forget old uploads: %w", err)
	}
	return nil
}
