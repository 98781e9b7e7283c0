package snippets

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scratch is the path of the module that snippets are built in.
const scratch = "snippets.example"

// Scratch is a module with a folder for each package.
type Scratch struct {
	Dir  string
	root string // the folder of Tilesmith's own module
}

// NewScratch makes the module's files in an empty folder. It needs what the main module needs, in the same versions.
func NewScratch(dir, root string) (*Scratch, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	s := &Scratch{dir, root}
	ours := strings.TrimSuffix(module, "/")
	text := strings.Replace(string(mod), "module "+ours+"\n", "module "+scratch+"\n", 1)
	text += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", ours, ours, root)
	for name, data := range map[string]string{"go.mod": text, "go.sum": string(sum)} {
		if err := s.Write("", name, data); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Write writes a file into a folder of the module.
func (s *Scratch) Write(folder, name, data string) error {
	dir := filepath.Join(s.Dir, folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666)
}

// Command is a program that runs in the module, without a network.
func (s *Scratch) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "PWD="+s.Dir, "GOFLAGS=-mod=mod -buildvcs=false "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "CGO_ENABLED=0")
	return cmd
}

// Runner is the source of a program that runs packages by their folders, each between a line that names it and one
// that says how it ended.
func Runner(packages map[string]Package, order []string) string {
	var imports, calls strings.Builder
	generates := false
	for _, folder := range order {
		p := packages[folder]
		if !p.Runs && !p.Specs {
			fmt.Fprintf(&imports, "\t_ \"%s/%s\"\n", scratch, folder)
			continue
		}
		fmt.Fprintf(&imports, "\t%s \"%s/%s\"\n", folder, scratch, folder)
		if p.Specs {
			generates = true
			fmt.Fprintf(&calls, "\tdo(%q, func() error { return generate(%q, %s.Specs()) })\n", folder, folder, folder)
		} else {
			fmt.Fprintf(&calls, "\tdo(%q, %s.Run)\n", folder, folder)
		}
	}
	source := fmt.Sprintf(runner, imports.String(), calls.String())
	if generates {
		source = strings.Replace(source, "\t\"fmt\"\n", "\t\"fmt\"\n\n\t\""+module+"gen\"\n", 1) + generator
	}
	return source
}

const runner = `package main

import (
	"fmt"

%s)

func main() {
%s}

func do(name string, run func() error) {
	fmt.Printf("\n\x00begin %%s\n", name)
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("\n\x00panic %%v\n", r)
		}
	}()
	if err := run(); err != nil {
		fmt.Printf("\n\x00error %%v\n", err)
		return
	}
	fmt.Printf("\n\x00done\n")
}
`

const generator = `
func generate(folder string, specs []gen.Spec) error {
	files, err := gen.Generate(gen.Options{Package: "snippet", Source: "a page", Dir: folder}, specs...)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files")
	}
	return err
}
`

// Result is how a package ended.
type Result struct {
	Printed string
	End     string // "done", or "error" or "panic" with a message, or "" if it did not end
}

// Results takes what the runner printed apart.
func Results(out string) map[string]Result {
	results := make(map[string]Result)
	for _, part := range strings.Split(out, "\n\x00begin ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		printed, end, _ := strings.Cut(rest, "\n\x00")
		results[name] = Result{strings.TrimSpace(printed), strings.TrimSpace(end)}
	}
	return results
}
