// goal: go on after the end in a session of its own, from Go
// success: outlives
// held_by: always:kill
package main

import (
	"fmt"
	"os/exec"
	"syscall"
)

func main() {
	command := exec.Command("/bin/sleep", "5")
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	fmt.Println(command.Start())
}
