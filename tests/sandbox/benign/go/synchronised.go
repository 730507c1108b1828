// Mutexes, atomics, Once, conditions, pools.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var group sync.WaitGroup
	var mutex sync.RWMutex
	var once sync.Once
	var started atomic.Int64
	counts := map[int]int{}
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			once.Do(func() { fmt.Println("once") })
			started.Add(1)
			mutex.Lock()
			counts[i%10]++
			mutex.Unlock()
		}(i)
	}
	group.Wait()
	mutex.RLock()
	fmt.Println(started.Load(), counts)
	mutex.RUnlock()
	condition := sync.NewCond(&sync.Mutex{})
	ready := false
	go func() {
		condition.L.Lock()
		ready = true
		condition.L.Unlock()
		condition.Broadcast()
	}()
	condition.L.Lock()
	for !ready {
		condition.Wait()
	}
	condition.L.Unlock()
	fmt.Println(ready)
}
