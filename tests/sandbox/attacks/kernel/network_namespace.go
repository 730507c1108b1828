// goal: have a network of its own, and the kernel's code for it: a namespace, from Go
// success: says
// held_by: calls:namespaces by clone
package main

import (
	"fmt"
	"os/exec"
	"syscall"
)

func main() {
	command := exec.Command("/bin/true")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET}
	if err := command.Run(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ATTACK-SUCCEEDED a child in a network namespace")
}
