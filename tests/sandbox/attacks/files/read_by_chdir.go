// goal: go into the checkout first, and read there by a short name
// success: prints TOKEN
// held_by: landlock_files
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct {
		Workspace string `json:"workspace"`
	}
	if err := json.Unmarshal(text, &target); err != nil {
		panic(err)
	}
	fmt.Println(os.Chdir(target.Workspace))
	secret, err := os.ReadFile("secret.txt")
	fmt.Println(string(secret), err)
}
