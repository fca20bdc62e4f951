// Command gateway-scheduler runs the periodic jobs.
package main

import "gateway/internal/program"

func main() { program.Scheduler() }
