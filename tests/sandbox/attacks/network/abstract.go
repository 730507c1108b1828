// goal: connect to an abstract socket, which no folder's mode protects, from Go
// success: reaches abstract
// held_by: calls:sockets + calls:socket use + landlock_scope
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct{ Abstract string }
	json.Unmarshal(text, &target)
	made, err := net.Dial("unix", "@"+target.Abstract)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(made, "attacked")
}
