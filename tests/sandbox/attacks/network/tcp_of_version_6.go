// goal: send a secret to a server: TCP over IPv6, from Go
// success: reaches tcp6
// held_by: calls:sockets + calls:socket use + landlock_network
// needs: ipv6
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
)

func main() {
	text, _ := os.ReadFile("target.json")
	var target struct{ TCP6 int }
	json.Unmarshal(text, &target)
	made, err := net.Dial("tcp", fmt.Sprintf("[::1]:%d", target.TCP6))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(made, "attacked")
}
