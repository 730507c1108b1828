// Integers and fractions of any size, and how floats look.
package main

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

func main() {
	factorial := new(big.Int).MulRange(1, 50)
	fmt.Println(factorial, factorial.BitLen())
	power := new(big.Int).Exp(big.NewInt(3), big.NewInt(1e18), big.NewInt(1e9+7))
	fmt.Println(power, big.NewInt(97).ProbablyPrime(20), new(big.Int).Sqrt(factorial))
	fmt.Println(new(big.Rat).Add(big.NewRat(1, 3), big.NewRat(1, 6)), new(big.Float).SetPrec(200).Quo(big.NewFloat(1), big.NewFloat(3)))
	fmt.Println(0.1+0.2, math.Sqrt2, float32(0.1), math.Inf(-1), math.MaxInt64, 1e21, 1e-7)
	a, b, c := 0.1, 0.2, byte(200)
	fmt.Println(a+b, bits.OnesCount(255), byte(c+100), strconv.Quote("é\n😀"))
	fmt.Printf("%08.3f|%-6d|%x|%b|%e|%q|%U|%T\n", math.Pi, 42, 255, 5, 123456.789, 'x', '⌘', 3i)
}
