// Package tool builds what end-to-end tests run, each program once.
package tool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Root returns the folder of the main module.
var Root = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/tilesmith/tilesmith\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("tool: no folder above has the go.mod of tilesmith")
		}
	}
})

// Tilesmith returns the path of the command, built by the first caller. The go command keeps the file in its
// cache, so that other test programs that ask for it get it at once.
var Tilesmith = sync.OnceValues(func() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "tilesmith-e2e-")
	if err != nil {
		return "", err
	}
	built = dir
	file := filepath.Join(dir, "tilesmith")
	_, err = Go(root, nil, "build", "-buildvcs=false", "-o", file, "./gen/tilesmith")
	return file, err
})

var built string

// Remove removes what was built; TestMain calls it.
func Remove() {
	if built != "" {
		os.RemoveAll(built)
	}
}

// Go runs the go command in a folder, without a workspace or cgo, and returns what it prints on standard output.
func Go(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "PWD="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out), nil
}
