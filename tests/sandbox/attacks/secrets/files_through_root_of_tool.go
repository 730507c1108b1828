// goal: read the workspace through the tool's own view of the file system, /proc/PID/root, from Go
// success: prints TOKEN
// held_by: own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct {
		Tool   int    `json:"tool"`
		Secret string `json:"secret_file"`
	}
	if err := json.Unmarshal(text, &target); err != nil {
		panic(err)
	}
	secret, err := os.ReadFile(fmt.Sprintf("/proc/%d/root%s", target.Tool, target.Secret))
	fmt.Println(string(secret), err)
}
