// goal: have Go call the C compiler, with options that include a file of the workspace
// success: prints TOKEN
// held_by: always:environment
// no_control: the usual way runs Go without cgo, too
package main

// #cgo CFLAGS: -include @secret_file@
// int zero(void) { return 0; }
import "C"

func main() {
	println(C.zero())
}
