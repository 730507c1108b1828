// Types with parameters, and the packages that use them.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Number interface{ ~int | ~float64 }

func Sum[T Number](values ...T) (total T) {
	for _, value := range values {
		total += value
	}
	return
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(item T) { s.items = append(s.items, item) }
func (s *Stack[T]) Pop() (T, error) {
	var zero T
	if len(s.items) == 0 {
		return zero, errors.New("empty")
	}
	item := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return item, nil
}

func Map[T, U any](in []T, f func(T) U) []U {
	var out []U
	for _, item := range in {
		out = append(out, f(item))
	}
	return out
}

type person struct {
	name string
	age  int
}

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(0.5, 0.25))
	stack := &Stack[string]{}
	stack.Push("x")
	fmt.Println(stack.Pop())
	fmt.Println(stack.Pop())
	fmt.Println(Map([]string{"a", "bb"}, func(s string) int { return len(s) }))
	people := []person{{"Zoë", 30}, {"Al", 25}, {"Bo", 30}}
	slices.SortFunc(people, func(a, b person) int {
		return cmp.Or(cmp.Compare(b.age, a.age), strings.Compare(a.name, b.name))
	})
	fmt.Printf("%v %+v\n", people, people[0])
	fmt.Println(slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2})), slices.Max([]int{3, 9, 4}))
	for i := range 3 {
		fmt.Print(i, " ")
	}
	fmt.Println(min(3, 1, 2))
}
