// A heap of some size, and a deep stack.
package main

import (
	"container/heap"
	"container/list"
	"fmt"
	"math/rand"
	"runtime"
)

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func main() {
	blocks := make([][]byte, 200)
	for i := range blocks {
		blocks[i] = make([]byte, 1<<20)
		for j := 0; j < len(blocks[i]); j += 4096 {
			blocks[i][j] = byte(i)
		}
	}
	sum := 0
	for _, block := range blocks {
		sum += int(block[4096])
	}
	blocks = nil
	runtime.GC()
	fmt.Println(sum, depth(1_000_000))
	random := rand.New(rand.NewSource(1))
	numbers := &ints{}
	for i := 0; i < 1000; i++ {
		heap.Push(numbers, random.Intn(1_000_000))
	}
	previous, sorted := -1, true
	for numbers.Len() > 0 {
		next := heap.Pop(numbers).(int)
		sorted = sorted && next >= previous
		previous = next
	}
	queue := list.New()
	queue.PushBack(1)
	queue.PushFront(0)
	fmt.Println(sorted, queue.Front().Value, queue.Len())
}
