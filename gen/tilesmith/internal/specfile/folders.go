package specfile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// specFiles returns the spec files that arguments name: files, folders whose go:generate
// lines name some, and dir/... for a folder and all below.
func specFiles(args []string) ([]string, error) {
	args, err := Expand(args, HasSpec)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("there is no spec file or folder: %w", err)
		}
		if !info.IsDir() {
			if err := Check(arg); err != nil {
				return nil, err
			}
			files = append(files, arg)
			continue
		}
		specs, err := SpecsOf(arg)
		if err != nil {
			return nil, err
		}
		for _, s := range specs {
			files = append(files, filepath.Join(arg, s))
		}
	}
	return files, nil
}

func HasSpec(dir string) (bool, error) {
	_, err := SpecsOf(dir)
	if errors.As(err, new(NoSpecError)) {
		return false, nil
	}
	return err == nil, err
}

// Expand replaces each pattern dir/... by the folders below dir that has accepts. It
// leaves out the folders that the go command leaves out of such a pattern.
func Expand(args []string, has func(dir string) (bool, error)) ([]string, error) {
	var all []string
	for _, arg := range args {
		root, isPattern := strings.CutSuffix(filepath.ToSlash(arg), "...")
		if !isPattern || root != "" && !strings.HasSuffix(root, "/") {
			all = append(all, arg)
			continue
		}
		if root = filepath.FromSlash(strings.TrimSuffix(root, "/")); root == "" && !strings.HasPrefix(arg, "/") {
			root = "."
		}
		n := len(all)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !d.IsDir():
				return nil
			case path != root && leftOut(path):
				return fs.SkipDir
			}
			ok, err := has(path)
			if ok {
				all = append(all, path)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no spec file or folder: %w", err)
		}
		if err != nil {
			return nil, err
		}
		if len(all) == n {
			return nil, fmt.Errorf("%s matches no folder with a spec", arg)
		}
	}
	return all, nil
}

// leftOut reports whether a folder is none of a pattern's: hidden, of test data, copied
// from elsewhere, or of another module.
func leftOut(dir string) bool {
	name := filepath.Base(dir)
	if name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

var generateLine = regexp.MustCompile(`(?m)^//go:generate .*\btilesmith run (?:--?\S+ )*(\S+\.go)\s*$`)

// SpecsOf returns the spec files of a folder: those that its go:generate lines run, or
// else those that import package gen.
func SpecsOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var named, found []string
	none := NoSpecError{dir: dir}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.ContainsRune("._", rune(e.Name()[0])) {
			continue // as the go command does, of an editor's .#spec.go
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range generateLine.FindAllSubmatch(text, -1) {
			if spec := string(m[1]); filepath.Dir(spec) == "." && !slices.Contains(named, spec) {
				named = append(named, spec)
			}
		}
		none.addLeft(string(text))
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil || !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+cli.ModulePath+`/gen"` }) {
			continue
		}
		if f.Name.Name != "main" && !ignored(f) {
			continue
		}
		if err := Check(path); err == nil {
			found = append(found, e.Name())
		} else if none.almost == nil {
			none.almost = err
		}
	}
	if named == nil {
		named = found
	}
	if named == nil {
		return nil, none
	}
	for _, s := range named {
		if err := Check(filepath.Join(dir, s)); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// A noSpecError says that a folder has no spec.
type NoSpecError struct {
	dir    string
	almost error    // why a file is none that looks like one
	left   []string // spec files that are gone and whose sets are still there
}

func (e NoSpecError) Error() string {
	switch {
	case e.almost != nil:
		return fmt.Sprintf("%s has no spec: %v", e.dir, e.almost)
	case e.left != nil:
		return fmt.Sprintf("%s has no spec any more: %s is gone, and its files are left; remove those that begin with %q", e.dir, e.left[0], GeneratedMark+e.left[0])
	}
	return e.dir + " has no spec: no go:generate line there says tilesmith run, and no file imports package gen; name a spec file"
}

// addLeft adds the spec file of this folder that a file says it is generated from. Where the folder has no spec, that is gone.
func (e *NoSpecError) addLeft(text string) {
	first, _, _ := strings.Cut(text, "\n")
	from, ours := strings.CutPrefix(first, GeneratedMark)
	from, _, _ = strings.Cut(from, "; DO NOT EDIT.")
	if ours && filepath.Base(from) == from && strings.HasSuffix(from, ".go") && !slices.Contains(e.left, from) {
		e.left = append(e.left, from)
	}
}

// GeneratedMark is how generated files begin; see gen.Header.
const GeneratedMark = "// Code generated by tilesmith from "
