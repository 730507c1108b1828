// What goes wrong is caught, in the order that the language promises.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

type tooBig struct{ limit int }

func (e *tooBig) Error() string { return fmt.Sprintf("more than %d", e.limit) }

func check(n int) error {
	if n > 10 {
		return fmt.Errorf("check %d: %w", n, &tooBig{10})
	}
	return nil
}

func careful(f func()) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("recovered: %v", reason)
		}
	}()
	f()
	return nil
}

func main() {
	defer fmt.Println("last")
	for i := 0; i < 3; i++ {
		defer fmt.Print(i, " ")
	}
	var empty []int
	var none map[string]int
	zero := 0
	fmt.Println(careful(func() { _ = empty[5] }))
	fmt.Println(careful(func() { none["x"] = 1 }))
	fmt.Println(careful(func() { fmt.Println(1 / zero) }))
	fmt.Println(careful(func() { panic(errors.New("mine")) }), careful(func() {}))
	err := check(11)
	var big *tooBig
	fmt.Println(err, errors.As(err, &big), big.limit, check(1))
	_, err = strconv.Atoi("x1")
	fmt.Println(err)
	_, err = os.Open("nowhere.txt")
	fmt.Println(err, errors.Is(err, fs.ErrNotExist))
}
