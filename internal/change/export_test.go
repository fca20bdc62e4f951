package change

// PruneTo is Prune with a bound of the test's.
var PruneTo = prune
