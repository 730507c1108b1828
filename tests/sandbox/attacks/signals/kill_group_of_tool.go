// goal: end the whole process group of the tool, from Go
// success: signals tool
// held_by: own_uid + landlock_scope + calls:signals
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct{ Tool int }
	json.Unmarshal(text, &target)
	fmt.Println(syscall.Kill(-target.Tool, syscall.SIGTERM))
}
