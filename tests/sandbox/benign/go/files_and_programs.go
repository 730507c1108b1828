// Files, folders, other programs, signals.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	folder, err := os.MkdirTemp("", "x")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.MkdirAll(filepath.Join(folder, "a", "b"), 0o755)
	for _, name := range []string{"a/b/one.txt", "a/two.go"} {
		os.WriteFile(filepath.Join(folder, name), []byte(strings.Repeat(name, 1000)), 0o644)
	}
	filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if !entry.IsDir() {
			content, _ := os.ReadFile(path)
			fmt.Printf("%s %d %x\n", filepath.Base(path), len(content), sha256.Sum256(content))
		}
		return err
	})
	command := exec.Command("tr", "a-z", "A-Z")
	command.Stdin = strings.NewReader("shout")
	output, err := command.Output()
	fmt.Println(string(output), err)
	fmt.Println(exec.Command("sh", "-c", "exit 3").Run())
	reader, writer := io.Pipe()
	go func() { fmt.Fprint(writer, "through a pipe"); writer.Close() }()
	content, _ := io.ReadAll(reader)
	fmt.Println(string(content))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-signals)
}
