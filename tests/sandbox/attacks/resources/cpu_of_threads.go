// goal: compute in many goroutines on all processors
// success: says
// held_by: limits:cpu + watch
// alone: yes
// limits: wall=9 cpu=1
package main

import (
	"fmt"
	"os/signal"
	"syscall"
	"time"
)

func used() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	signal.Ignore(syscall.SIGXCPU)
	for range 8 {
		go func() {
			for {
			}
		}()
	}
	for used() < 2.0 {
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Printf("ATTACK-SUCCEEDED used %.1f seconds on the processor\n", used())
}
