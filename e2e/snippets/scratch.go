package snippets

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// Placed is a package in a folder of the module.
type Placed struct {
	Package
	ID, Folder string
}

// Place says where packages lie. Those of a page are one, since the compiler compiles a generic function again in each
// package that calls it, but for packages that declare names of their own.
func Place(packages []Package) []Placed {
	var out []Placed
	folders := make(map[string]string)
	for i, p := range packages {
		id := fmt.Sprintf("s%03d", i)
		folder := id
		if !p.Alone {
			if folders[p.Block.Page] == "" {
				folders[p.Block.Page] = id
			}
			folder = folders[p.Block.Page]
		}
		out = append(out, Placed{p, id, folder})
	}
	return out
}

// Write writes the files of a package. Those of one folder have different names of files and functions.
func (p Placed) Write(s *Scratch) error {
	for name, text := range p.Files {
		if name == "snippet.go" {
			name = p.ID + ".go"
			text = strings.Replace(text, "\nfunc Run() error {", "\nfunc Run"+p.ID+"() error {", 1)
			text = strings.Replace(text, "\nfunc Specs() []gen.Spec {", "\nfunc Specs"+p.ID+"() []gen.Spec {", 1)
		}
		if err := s.Write(p.Folder, name, text); err != nil {
			return err
		}
	}
	return nil
}

// Runner is the source of a program that runs packages, each between a line that names it and one that says how it ended.
func Runner(packages []Placed) string {
	var imports, calls strings.Builder
	generates := false
	called := make(map[string]bool)
	for _, p := range packages {
		switch {
		case p.Specs:
			generates = true
			fmt.Fprintf(&calls, "\tdo(%q, func() error { return generate(%q, %s.Specs%s()) })\n", p.ID, p.Folder, p.Folder, p.ID)
		case p.Runs:
			fmt.Fprintf(&calls, "\tdo(%q, %s.Run%s)\n", p.ID, p.Folder, p.ID)
		}
		called[p.Folder] = called[p.Folder] || p.Specs || p.Runs
	}
	for _, folder := range slices.Sorted(maps.Keys(called)) {
		name := "_"
		if called[folder] {
			name = folder
		}
		fmt.Fprintf(&imports, "\t%s \"%s/%s\"\n", name, scratch, folder)
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
