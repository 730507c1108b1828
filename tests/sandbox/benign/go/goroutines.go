// Workers that share a channel of tasks and one of results.
package main

import (
	"fmt"
	"sort"
	"sync"
)

func collatz(n int) (steps int) {
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return
}

func main() {
	tasks, results := make(chan int), make(chan [2]int, 100)
	var group sync.WaitGroup
	for worker := 0; worker < 50; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range tasks {
				results <- [2]int{n, collatz(n)}
			}
		}()
	}
	for n := 1; n <= 100; n++ {
		tasks <- n
	}
	close(tasks)
	group.Wait()
	close(results)
	var all [][2]int
	for result := range results {
		all = append(all, result)
	}
	sort.Slice(all, func(i, j int) bool { return all[i][1] > all[j][1] || all[i][1] == all[j][1] && all[i][0] < all[j][0] })
	fmt.Println(len(all), all[:3])
	ring := make(chan int)
	last := ring
	for i := 0; i < 10000; i++ {
		next := make(chan int)
		go func(from, to chan int) { to <- 1 + <-from }(last, next)
		last = next
	}
	ring <- 0
	fmt.Println(<-last)
}
