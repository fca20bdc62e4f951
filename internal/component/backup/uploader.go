package backup

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// uploader copies archives to targets: to each target one at a time, the newest first, and to all targets beside each other.
// It holds no lock of the backups, so a slow target delays neither the next backup nor another target.
type uploader struct {
	group sync.WaitGroup
	mu    sync.Mutex
	again map[string]bool     // targets that are uploaded to, and whether there is more for them since
	going map[string]*uploads // by backup
	stops map[string]func()   // by target: ends what is on its way there
}

func newUploader() *uploader {
	return &uploader{again: map[string]bool{}, going: map[string]*uploads{}, stops: map[string]func(){}}
}

// on is how far a backup is; done is to be called when it is over for one target.
func (u *uploader) on(b Backup, tell func(done, total int64)) (far *uploads, done func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	far = u.going[b.ID]
	if far == nil {
		far = &uploads{tell: tell}
		for _, r := range b.RemoteUploads {
			if r.State == pending {
				far.total += b.Size
			}
		}
		u.going[b.ID] = far
	}
	far.using++
	return far, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if far.using--; far.using == 0 {
			delete(u.going, b.ID)
		}
	}
}

// begin reports whether somebody is to upload to a target now. If somebody does, they look once more at the end.
func (u *uploader) begin(target string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, busy := u.again[target]
	u.again[target] = busy
	return !busy
}

// end reports whether nothing came for a target since begin.
func (u *uploader) end(target string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.again[target] {
		u.again[target] = false
		return false
	}
	delete(u.again, target)
	return true
}

// drop ends it for a target, whatever came.
func (u *uploader) drop(target string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.again, target)
}

// during is the context of an upload to a target, which stopUnless ends.
func (u *uploader) during(ctx context.Context, target string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stops[target] = cancel
	return ctx, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.stops, target)
		cancel()
	}
}

// stopUnless ends what is on its way to other targets than these.
func (u *uploader) stopUnless(wanted []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for target, stop := range u.stops {
		if !slices.Contains(wanted, target) {
			stop()
		}
	}
}

// busy reports whether anything is on its way.
func (u *uploader) busy() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.stops) > 0
}

func errTargetGone() error { return fault.Say("the target was removed or switched off") }

// heedEvery is how often it is looked, while something is on its way, whether its target still wants it.
const heedEvery = 2 * time.Second

// heeding looks after uploads until ctx ends, also while a backup is being made, which may take longer than all of them.
func (s *service) heeding(ctx context.Context) {
	tick := time.NewTicker(s.heeds)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.heed(ctx)
		}
	}
}

// heed ends uploads to targets that were switched off or deleted meanwhile. Where that cannot be found out, they go on.
func (s *service) heed(ctx context.Context) {
	if !s.uploader.busy() {
		return
	}
	active, err := db.List[struct{ ID string }](ctx, s.DB, `select id::text from backup_targets where active`)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.Warn("backup", "step", "upload", "err", err)
		}
		return
	}
	wanted := make([]string, 0, len(active))
	for _, t := range active {
		wanted = append(wanted, t.ID)
	}
	s.uploader.stopUnless(wanted)
}

// wakeUploads has work begin what is to be uploaded.
func (s *service) wakeUploads() {
	select {
	case s.wake <- struct{}{}:
	default: // it is going to
	}
}

// upload begins to copy archives to every target that they are to go to, also those that a kill interrupted. What fails is in
// the row, and harms nobody else. While a restore may still be undone there are other targets with other numbers to keep: what
// they would have removed there would not come back, so all of it waits for the end.
func (s *service) upload(ctx context.Context) {
	if under, err := s.restoring(ctx); err != nil || under {
		if err != nil {
			s.Log.Error("backup", "step", "upload", "err", err)
		}
		return
	}
	if err := s.giveUp(ctx); err != nil && ctx.Err() == nil {
		s.Log.Error("backup", "step", "upload", "err", err)
	}
	all, err := db.List[stored](ctx, s.DB, selectTargets+` where t.active and exists (select from backups b where b.status = 'done'
		and b.remote_uploads @> jsonb_build_array(jsonb_build_object('target_id', t.id, 'state', 'pending'))) order by t.name`)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.Error("backup", "step", "upload", "err", err)
		}
		return
	}
	for _, t := range all {
		if s.uploader.begin(t.ID) {
			s.uploader.group.Go(func() { s.uploadTo(ctx, t.ID) })
		}
	}
}

// giveUp ends uploads to targets that are gone or switched off since.
func (s *service) giveUp(ctx context.Context) error {
	rows, err := db.List[struct{ ID, Target string }](ctx, s.DB, `select b.id::text, e ->> 'target_id' from backups b, jsonb_array_elements(b.remote_uploads) e
		where b.status = 'done' and e ->> 'state' = 'pending' and not exists (select from backup_targets t where t.active and t.id::text = e ->> 'target_id')`)
	if err != nil {
		return fmt.Errorf("list uploads without a target: %w", err)
	}
	for _, r := range rows {
		if err := s.uploaded(ctx, r.ID, r.Target, ended(s.Now(), errTargetGone())); err != nil {
			return err
		}
	}
	return nil
}

// uploadTo copies to one target until there is nothing left for it.
func (s *service) uploadTo(ctx context.Context, target string) {
	for {
		more, err := s.uploadNext(ctx, target)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil: // what was not noted stays pending, for the next tick
			s.Log.Error("backup", "target", target, "step", "upload", "err", err)
			s.uploader.drop(target)
			return
		case !more && s.uploader.end(target):
			return
		}
	}
}

// uploadNext copies the newest archive that is to go to a target, and answers whether there was one. What the process itself
// interrupts stays pending, and says nothing about the target.
func (s *service) uploadNext(ctx context.Context, target string) (more bool, err error) {
	here, err := s.here()
	if err != nil {
		return false, err
	}
	targets, err := db.List[stored](ctx, s.DB, selectTargets+` where t.active and t.id = $1`, target)
	if err != nil || len(targets) == 0 {
		return false, err
	}
	next, err := db.List[Backup](ctx, s.DB, selectBackups+` where status = 'done' and folder in ('', $1)
		and remote_uploads @> jsonb_build_array(jsonb_build_object('target_id', $2::text, 'state', 'pending')) order by started_at desc, id desc limit 1`, here, target)
	if err != nil || len(next) == 0 {
		return false, err
	}
	b := next[0]
	wanted, over := s.uploader.during(ctx, target)
	bounded, cancel := context.WithTimeout(wanted, uploadTime)
	err = s.put(bounded, b, targets[0])
	cancel()
	unwanted := wanted.Err() != nil
	over()
	if ctx.Err() != nil {
		return false, nil
	}
	if err != nil && unwanted { // for now: switched off by mistake, it gets its copy once it is on again, or giveUp ends it
		s.Log.Warn("backup", "id", b.ID, "target", target, "err", errTargetGone())
		return true, s.unmoved(ctx, b.ID)
	}
	if err != nil {
		s.Log.Error("backup", "id", b.ID, "target", target, "err", err)
	}
	result := ended(s.Now(), err)
	if err := s.uploaded(ctx, b.ID, target, result); err != nil {
		return false, err
	}
	return true, s.told(ctx, target, result)
}

// unmoved has a backup tell no progress. If it is on its way to another target, that tells its own again.
func (s *service) unmoved(ctx context.Context, id string) error {
	if _, err := s.DB.Exec(ctx, `update backups set progress = null where id = $1`, id); err != nil {
		return fmt.Errorf("note that the upload of backup %s stopped: %w", id, err)
	}
	return nil
}

// ended is the result of an upload.
func ended(at time.Time, err error) Upload {
	r := Upload{State: done, At: &at}
	if err != nil {
		said := reason(err)
		r.State, r.Error = failed, &said
	}
	return r
}

// uploaded notes the result for one target, and the end of the progress with the last one. Others may note theirs meanwhile.
func (s *service) uploaded(ctx context.Context, id, target string, r Upload) error {
	result := map[string]any{"state": r.State, "at": r.At}
	if r.Error != nil {
		result["error"] = r.Error
	}
	_, err := s.DB.Exec(ctx, `update backups set
			remote_uploads = (select jsonb_agg(case when e ->> 'target_id' = $2 then e || $3::jsonb else e end order by n) from jsonb_array_elements(remote_uploads) with ordinality as a (e, n)),
			progress = case when exists (select from jsonb_array_elements(remote_uploads) e where e ->> 'state' = 'pending' and e ->> 'target_id' <> $2) then progress end
		where id = $1 and remote_uploads <> '[]'`, id, target, asJSON(result))
	if err != nil {
		return fmt.Errorf("note the upload of backup %s: %w", id, err)
	}
	return nil
}

// awaits reports whether a backup is still to go somewhere.
func (b Backup) awaits() bool {
	return slices.ContainsFunc(b.RemoteUploads, func(u Upload) bool { return u.State == pending })
}
