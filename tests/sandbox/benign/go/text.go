// Regular expressions, templates, Unicode, tables.
package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
	"text/template"
	"unicode"
	"unicode/utf8"
)

func main() {
	line := regexp.MustCompile(`(?m)^(?P<key>\w+)\s*=\s*(.+)$`)
	for _, match := range line.FindAllStringSubmatch("a = 1\nbad\nbc=two words\n", -1) {
		fmt.Printf("%q ", match[1:])
	}
	fmt.Println(line.SubexpNames(), line.ReplaceAllString("x = y", "${key}: $2"))
	text := "naïve 東京 😀"
	fmt.Println(len(text), utf8.RuneCountInString(text), strings.ToUpper(text), []rune(text)[6], strings.Fields(" a  b "))
	fmt.Println(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, "a-1 б2"), strings.Repeat("ab", 3), strings.EqualFold("Σ", "ς"))
	page := template.Must(template.New("").Parse("{{range $i, $e := .}}{{if $i}}, {{end}}{{$e | printf \"%03d\"}}{{end}}\n"))
	if err := page.Execute(os.Stdout, []int{1, 20, 300}); err != nil {
		panic(err)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "name\tsize\t")
	fmt.Fprintln(table, "x\t1234\t")
	table.Flush()
}
