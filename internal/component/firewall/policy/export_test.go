package policy

// Kept is how many address objects the reader keeps, and since which transaction it reads what was touched.
func (r *Reader) Kept() (objects int, since uint64) { return len(r.cache.objects), r.cache.since.min }
