package series

import "time"

// Generated writes files as a year of samples leaves them, of n series: value i is i plus the
// share of the day that is over.
func Generated(dir string, now time.Time, n int) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range n {
		s.names = append(s.names, column{Name: GeneratedName(i), At: i, Last: now.Unix()})
	}
	for i, t := range tiers {
		values := empty(t)
		for at := t.align(now.Add(-t.span() + t.step)); !at.After(now); at = at.Add(t.step) {
			for c := range n {
				v := GeneratedValue(c, at)
				if !t.spread {
					values[c] = v
					continue
				}
				values[3*c], values[3*c+1], values[3*c+2] = v-1, v, v+1
			}
			if err := s.write(i, at, values); err != nil {
				return err
			}
		}
	}
	if err := writeNames(dir, s.names); err != nil {
		return err
	}
	return s.Close()
}

// GeneratedName is the name of a generated series.
func GeneratedName(i int) string {
	return "generated." + string(rune('a'+i/26)) + string(rune('a'+i%26))
}

// GeneratedValue is what it was.
func GeneratedValue(i int, at time.Time) float32 {
	return float32(i) + float32(at.Unix()%86400)/86400
}
