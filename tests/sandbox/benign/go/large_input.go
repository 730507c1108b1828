// stdin: 300000
// Many lines of stdin, read with a buffer.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	lines, sum, longest := 0, 0, 0
	for scanner.Scan() {
		fields := strings.Fields(scanner.Text())
		longest = max(longest, len(scanner.Text()))
		lines++
		if number, err := strconv.Atoi(fields[0]); err == nil {
			sum += number
		}
	}
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	fmt.Fprintln(writer, lines, sum, longest, scanner.Err())
}
