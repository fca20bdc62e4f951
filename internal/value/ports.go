package value

// TakenPorts are the ports that the appliance itself serves, or may come to serve: whoever
// binds one of them first keeps the other daemon from starting.
var TakenPorts = map[int]string{
	22: "SSH", 53: "DNS", 80: "the reverse proxy", 443: "the reverse proxy", 3128: "the forward proxy",
	3443: "the management interface", 5432: "the database", 6379: "cluster peers", 8080: "the management service",
	8443: "cluster peers", 9000: "the web application firewall", 13128: "the forward proxy",
}
