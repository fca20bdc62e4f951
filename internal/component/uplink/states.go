package uplink

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/apply"
	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// applyTime is how long a change may take: what gateway-apply does not tell of before that is on its way.
const applyTime = `interval '10 seconds'`

// states are those of all stored uplinks and groups. wrong is what gateway-apply could not bring
// into the kernel, by the id of the uplink or group.
func (u *uplinks) states(ctx context.Context, now multiwan.Report, wrong map[string]problem.State) (map[string]problem.States, error) {
	all, err := db.List[struct {
		ID, Name    string
		Active, New bool // New: it was changed just now
	}](ctx, u.DB, `select id::text, name, active, updated_at > now() - `+applyTime+` from uplink_uplinks`)
	if err != nil {
		return nil, fmt.Errorf("list uplinks: %w", err)
	}
	groups, err := db.List[struct {
		ID, Name string
		New      bool
	}](ctx, u.DB, `select id::text, name, updated_at > now() - `+applyTime+` from uplink_groups`)
	if err != nil {
		return nil, fmt.Errorf("list groups of uplinks: %w", err)
	}
	unapplied, err := apply.ReadUnapplied(ctx, u.DB, u.Applier, multiwan.Name, map[string][]string{
		"uplink_uplinks": {"id"}, "uplink_groups": {"id"}, "uplink_members": {"group_id"},
	})
	if err != nil {
		return nil, err
	}
	out := map[string]problem.States{uplinkKind: {}, groupKind: {}}
	for _, one := range all {
		state, is := wrong[one.ID]
		switch {
		case unapplied.Has(one.ID, "uplink "+one.Name):
			state = notApplied.Because("not_applied", problem.Params{"name": fault.Named("uplink " + one.Name)})
		case !one.Active:
			state = problem.Chosen("disabled")
		case is: // for that reason
		default:
			if state, is = uplinkState(one.ID, one.Name, one.New, now); !is {
				continue
			}
		}
		out[uplinkKind][one.ID] = state
	}
	for _, g := range groups {
		state, is := wrong[g.ID]
		switch {
		case unapplied.Has(g.ID, "group "+g.Name):
			state = notApplied.Because("not_applied", problem.Params{"name": fault.Named("uplink group " + g.Name)})
		case is: // for that reason
		default:
			if state, is = groupState(g.ID, g.Name, g.New, now, wrong); !is {
				continue
			}
		}
		out[groupKind][g.ID] = state
	}
	return out, nil
}

// uplinkState is that of an active uplink; there is none for one that works.
func uplinkState(id, name string, isNew bool, now multiwan.Report) (state problem.State, is bool) {
	i := slices.IndexFunc(now.Uplinks, func(s multiwan.UplinkStatus) bool { return s.ID == id })
	if i < 0 {
		return unread(unjudged, "uplink ", name, isNew, now), true
	}
	s := now.Uplinks[i]
	if kind, fails := failures()[s.State]; fails {
		return kind.Because(string(s.State), paramsOf(s)), true
	}
	switch s.State {
	case health.Up:
		return state, false
	case health.Unmonitored:
		return unmonitored.Because("unchecked", problem.Params{"name": name}), true
	default:
		return unjudged.Because("unknown", problem.Params{"name": name}), true
	}
}

// groupState is that of a group by those of its members that are active; there is none for one
// of which all work.
func groupState(id, name string, isNew bool, now multiwan.Report, wrong map[string]problem.State) (state problem.State, is bool) {
	i := slices.IndexFunc(now.Groups, func(g multiwan.GroupStatus) bool { return g.ID == id })
	if i < 0 {
		return unread(groupUnjudged, "uplink group ", name, isNew, now), true
	}
	g := now.Groups[i]
	var failed []string
	sure := false // that one of them works
	for _, s := range now.Uplinks {
		if !slices.Contains(g.Members, s.ID) {
			continue
		}
		if _, is := wrong[s.ID]; is || !s.State.Usable() {
			failed = append(failed, s.Name)
		}
		sure = sure || s.State == health.Up || s.State == health.Unmonitored
	}
	params := problem.Params{"name": name, "failed": len(failed), "total": len(g.Members), "uplinks": strings.Join(failed, ", ")}
	switch {
	case g.Empty:
		return problem.Chosen("empty"), true
	case !g.Usable:
		return noneUp.Because("down", params), true
	case len(failed) > 0:
		return groupDegraded.Because("degraded", params), true
	case !sure:
		return groupUnjudged.Because("unknown", params), true
	}
	return state, false
}

// unread is the state of something that gateway-apply does not tell of.
func unread(kind problem.Kind, noun, name string, isNew bool, now multiwan.Report) problem.State {
	named := problem.Params{"name": fault.Named(noun + name)}
	switch {
	case now.Known && isNew:
		return applying.Because("unknown", named)
	case now.Known:
		return notApplied.Because("not_applied", named)
	}
	return kind.Because("unknown", problem.Params{"name": name})
}
