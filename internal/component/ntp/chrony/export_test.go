package chrony

// For the tests that need package ntp too, which imports this one.
var RealChronyd = realChronyd

type Systemd = systemd
