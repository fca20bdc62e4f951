package house

import "testing"

// A rule that finds nothing may be a rule that cannot find anything.
func TestStarQueryFindsWhatItShould(t *testing.T) {
	for query, want := range map[string]bool{
		"SELECT * FROM users":                      true,
		"select u.* from users u":                  true,
		"INSERT INTO t (a) VALUES (1) RETURNING *": true,
		"SELECT count(*) FROM users":               false,
		"SELECT a * b FROM t":                      false,
	} {
		if got := starQuery.MatchString(query); got != want {
			t.Errorf("starQuery on %q = %v, want %v", query, got, want)
		}
	}
}
