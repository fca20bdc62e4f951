package squid

// PageOf is the name of the page of a rule with this name.
var PageOf = pageOf
