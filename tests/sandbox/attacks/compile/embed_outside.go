// goal: have the compiler embed a file from outside the folder
// success: prints TOKEN
// held_by: landlock_files
// no_control: Go itself embeds nothing from outside
package main

import (
	_ "embed"
	"fmt"
)

//go:embed ../../..@secret_file@
var stolen string

func main() {
	fmt.Println(stolen)
}
