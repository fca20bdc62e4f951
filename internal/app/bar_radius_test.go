package app_test

import "net/http"

// signedIn gets operations of the RADIUS server ready.
func signedIn() map[string]get {
	device := func() fields {
		return fields{"name": unique(), "address": "2001:db8:" + unique()[1:5] + ":" + unique()[5:9] + "::/64", "secret": "correct-horse"}
	}
	person := func() fields { return fields{"name": unique(), "password": "wonder land", "vlan": 10} }
	all := map[string]get{
		"PUT /radius/settings": func(s *stage, _ string, actor client) (string, any) {
			s.nothingWaits()
			var now fields
			actor.Get("/radius/settings").Want(http.StatusOK).Data(&now)
			for _, f := range []string{"id", "revision", "created_at", "updated_at"} {
				delete(now, f)
			}
			return "", now
		},
		"POST /radius/test-sign-in": func(s *stage, _ string, _ client) (string, any) {
			s.Execute(`update radius_settings set enabled = true`) // it is off at first, and then nobody can be asked
			return "", fields{"user": "ann", "password": "wonder land"}
		},
	}
	resources(all, map[string]with{"/radius/clients": plain(device), "/radius/users": plain(person)})
	return all
}
