package gen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strconv"
)

// A naming is what a file of a package says of a name: it declares it, or imports a package by it.
type naming struct {
	name   string
	at     neighbour
	builds uint // a bit for each of platforms that the file is built for
	pkg    string
	has    bool // declares it
}

// redeclared refuses names that files bring into a package and others there have. They are declared,
// or are those of imports, and Go does not let a name be both. ns are the files that stay in dir. A
// name is let pass if the file that has it is out of date: behind are the spec files of those.
func redeclared(dir string, ns []neighbour, files []File) (behind []string, err error) {
	type key struct{ folder, pkg, name string }
	theirs := map[key][]naming{}
	for _, n := range ns {
		for _, x := range namesOf(n) {
			k := key{path.Dir(n.Name), x.pkg, x.name}
			theirs[k] = append(theirs[k], x)
		}
	}
	for _, f := range files {
		for _, x := range namesOf(neighbour{f, sourceOf(f)}) {
			for _, y := range theirs[key{path.Dir(f.Name), x.pkg, x.name}] {
				switch {
				case x.builds&y.builds == 0 || !x.has && !y.has:
				case y.has && outdated(dir, y.at, x.name):
					if !slices.Contains(behind, y.at.source) {
						behind = append(behind, y.at.source)
					}
				case x.has && y.has:
					return nil, fmt.Errorf("%v and %v both declare %s; rename one", x.at, y.at, x.name)
				case x.has:
					return nil, fmt.Errorf("%v declares %s, by which %v imports a package; rename one", x.at, x.name, y.at)
				default:
					return nil, fmt.Errorf("%v declares %s, by which %v imports a package; rename one", y.at, x.name, x.at)
				}
			}
		}
	}
	return behind, nil
}

// String says where the file is from.
func (n neighbour) String() string {
	if n.source == "" {
		return n.Name + ", which is not generated,"
	}
	return fmt.Sprintf("%s, generated from %s,", n.Name, n.source)
}

// namesOf are those of a file that is built for any of platforms.
func namesOf(n neighbour) (all []naming) {
	builds := platformsOf(n.File)
	if builds == 0 || path.Ext(n.Name) != ".go" {
		return nil
	}
	tree, _ := parser.ParseFile(token.NewFileSet(), n.Name, n.Data, parser.SkipObjectResolution)
	if tree == nil || tree.Name == nil {
		return nil // nobody knows what there will be
	}
	add := func(name string, has bool) { all = append(all, naming{name, n, builds, tree.Name.Name, has}) }
	for _, name := range topLevel(tree) {
		if name != "init" {
			add(name, true)
		}
	}
	for _, i := range tree.Imports {
		if name := importedBy(i); name != "_" && name != "." {
			add(name, false)
		}
	}
	return all
}

// importedBy is the name that an import has in its file, as far as its path tells.
func importedBy(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	at, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return "_"
	}
	if base := path.Base(at); len(base) > 1 && base[0] == 'v' && base[1] >= '2' && base[1] <= '9' {
		return path.Base(path.Dir(at))
	}
	return path.Base(at)
}

// platforms are those that files are compared for: a name may be declared once for each.
var platforms = func() (all []build.Context) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, p := range []struct {
			arch string
			tags []string
		}{{"amd64", nil}, {"amd64", []string{"noasm"}}, {"arm64", nil}, {"386", nil}} {
			c := build.Default
			c.GOOS, c.GOARCH, c.BuildTags, c.CgoEnabled = system, p.arch, p.tags, true
			all = append(all, c)
		}
	}
	return all
}()

// platformsOf has a bit for each that a file is built for.
func platformsOf(f File) (set uint) {
	for i, c := range slices.Clone(platforms) {
		c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.Data)), nil }
		if ok, err := c.MatchFile("", path.Base(f.Name)); ok && err == nil {
			set |= 1 << i
		}
	}
	return set
}
