package app_test

// uplinked gets operations on uplinks, their groups and members ready.
func uplinked() map[string]get {
	uplink := func(actor client) fields {
		link := unique()
		made(actor, "/network-interfaces", fields{"name": link, "type": "ethernet"})
		return fields{"name": unique(), "interface": link, "gateway": "192.0.2.1", "active": false}
	}
	group := func() fields { return fields{"name": unique()} }
	member := func(actor client) fields {
		return fields{"group_id": made(actor, "/uplink-groups", group()), "uplink_id": made(actor, "/uplinks", uplink(actor))}
	}
	all := map[string]get{}
	resources(all, map[string]with{"/uplinks": uplink, "/uplink-groups": plain(group), "/uplink-members": member})
	return all
}
