// goal: have the compiler fill memory: one array that has a value at its end
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: memory=192M
// compile_limits: wall=18 memory=192M
package main

var table = [300_000_000]byte{299_999_999: 1}
var another = [300_000_000]byte{299_999_999: 1}

func main() {
	println(&table[0], &another[0])
}
