// goal: hold the tool on one processor
// success: signals tool
// held_by: own_uid + calls:cores of others
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct{ Tool int }
	json.Unmarshal(text, &target)
	one := uint64(1)
	_, _, err := syscall.Syscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(target.Tool), 8, uintptr(unsafe.Pointer(&one)))
	fmt.Println(err)
}
