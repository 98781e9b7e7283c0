package fn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/internal/child"
)

// Config says what to load functions from. The zero value is the current folder
// with the environment of this process.
type Config struct {
	Dir     string
	Flags   []string          // for the go command, such as -tags=x
	Env     []string          // nil: os.Environ()
	Overlay map[string][]byte // absolute file name -> what to read in its place
}

// Program is a set of packages that functions can be looked up in. Only packages
// whose functions are needed are read and type-checked, everything they import
// comes from export data. A Program must not be used by several goroutines at
// once.
type Program struct {
	Config
	dir     string
	fset    *token.FileSet
	meta    map[string]*listed
	roots   []*listed
	sources map[string]*source
	texts   map[string][]byte // of the files read
	export  types.Importer
	funcs   map[string]*Func // by reference
}

// listed is what the go command says about a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	TestGoFiles, XTestGoFiles     []string
	Imports                       []string
	ImportMap                     map[string]string
	DepOnly                       bool
	Module                        *struct{ GoVersion string }
	Error                         *struct{ Err string }
}

// source is a package that was read and type-checked.
type source struct {
	path  string
	pkg   *types.Package
	info  *types.Info
	files []*ast.File
	errs  []types.Error
}

// Load lists the packages that match the patterns, and what they import. Patterns are
// those of the go command: package paths, folders, or .go files that form one package.
// Packages with errors are accepted: only the code that a function uses must be right.
func Load(dir string, patterns ...string) (*Program, error) {
	return Config{Dir: dir}.Load(patterns...)
}

// Load is the function Load with a configuration.
func (c Config) Load(patterns ...string) (*Program, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	p := &Program{Config: c, dir: dir, fset: token.NewFileSet(), meta: map[string]*listed{},
		sources: map[string]*source{}, texts: map[string][]byte{}, funcs: map[string]*Func{}}
	p.export = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if m := p.meta[path]; m != nil && m.Export != "" {
			return os.Open(m.Export)
		}
		return nil, fmt.Errorf("%s does not compile", path)
	})
	p.roots, err = p.list(patterns...)
	return p, err
}

// list asks the go command about packages and what they import, and returns those
// that match the patterns.
func (p *Program) list(patterns ...string) (roots []*listed, err error) {
	args := []string{"list", "-e", "-deps", "-export",
		"-json=ImportPath,Name,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Imports,ImportMap,DepOnly,Module,Error"}
	args = append(args, p.Flags...)
	if len(p.Overlay) > 0 {
		file, err := p.writeOverlay()
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(filepath.Dir(file))
		args = append(args, "-overlay="+file)
	}
	cmd := child.Command(context.Background(), "go", append(append(args, "--"), patterns...)...)
	cmd.Dir, cmd.Env = p.dir, p.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := child.Output(cmd)
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", strings.Join(patterns, " "), err, strings.TrimSpace(stderr.String()))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		m := new(listed)
		if err := d.Decode(m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
		}
		if !m.DepOnly {
			if m.Error != nil && len(m.GoFiles) == 0 {
				return nil, fmt.Errorf("%s", m.Error.Err)
			}
			roots = append(roots, m)
		}
		if old := p.meta[m.ImportPath]; old == nil {
			p.meta[m.ImportPath] = m
		}
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no package matches %s", strings.Join(patterns, " "))
	}
	return roots, nil
}

// writeOverlay writes the overlay as the go command wants it, in a new folder.
func (p *Program) writeOverlay() (file string, err error) {
	dir, err := os.MkdirTemp("", "tilesmith")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	write := func(name string, data []byte) {
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
	}
	for name, data := range p.Overlay {
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[name] = to
		write(to, data)
	}
	text, jerr := json.Marshal(map[string]any{"Replace": replace})
	if jerr != nil {
		return "", jerr
	}
	file = filepath.Join(dir, "overlay.json")
	write(file, text)
	if err != nil {
		os.RemoveAll(dir)
	}
	return file, err
}

// source returns the package called path with syntax and types; file, if not "",
// is one of its files, which may be a test.
func (p *Program) source(m *listed, file string) (*source, error) {
	key, files := m.ImportPath, m.GoFiles
	switch base := filepath.Base(file); {
	case slices.Contains(m.XTestGoFiles, base):
		key, files = key+"_test", m.XTestGoFiles
	case slices.Contains(m.TestGoFiles, base):
		key, files = key+" [test]", append(slices.Clip(files), m.TestGoFiles...)
	}
	if s := p.sources[key]; s != nil {
		return s, nil
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files", m.ImportPath)
	}
	s := &source{path: m.ImportPath, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits: map[ast.Node]types.Object{},
	}}
	p.sources[key] = s
	for _, name := range files {
		f, err := p.parse(filepath.Join(m.Dir, name))
		if f == nil {
			return nil, err
		}
		s.files = append(s.files, f)
		var list scanner.ErrorList
		errors.As(err, &list)
		for _, e := range list {
			s.errs = append(s.errs, types.Error{Fset: p.fset, Pos: f.FileStart + token.Pos(e.Pos.Offset), Msg: e.Msg})
		}
	}
	if err := p.need(s.files, m); err != nil {
		return nil, err
	}
	conf := types.Config{
		Importer: importing{p, m}, Sizes: types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && !e.Soft {
				s.errs = append(s.errs, e)
			}
		},
	}
	if m.Module != nil && m.Module.GoVersion != "" {
		conf.GoVersion = "go" + m.Module.GoVersion
	}
	s.pkg, _ = conf.Check(m.ImportPath, p.fset, s.files, s.info) // errors are in s.errs
	return s, nil
}

// parse reads a file. If syntax errors leave something to read, it is returned with the
// error. A function that has one inside is refused when it is looked up.
func (p *Program) parse(name string) (*ast.File, error) {
	text, ok := p.Overlay[name]
	if !ok {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	p.texts[name] = text
	return parser.ParseFile(p.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
}

// need lists the packages that files import if that has not been done.
func (p *Program) need(files []*ast.File, m *listed) error {
	var missing []string
	for _, f := range files {
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, "\"`")
			if to, ok := m.ImportMap[path]; ok {
				path = to
			}
			if p.meta[path] == nil && path != "C" && path != "unsafe" && !slices.Contains(missing, path) {
				missing = append(missing, path)
			}
		}
	}
	if missing == nil {
		return nil
	}
	_, err := p.list(missing...)
	return err
}

// importing finds what one package imports. It reads export data, or, if the package
// does not compile because it waits for the files being generated, its source.
type importing struct {
	p *Program
	m *listed
}

func (i importing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if to, ok := i.m.ImportMap[path]; ok {
		path = to
	}
	if m := i.p.meta[path]; m != nil && m.Export == "" && m.ImportPath != i.m.ImportPath {
		s, err := i.p.source(m, "")
		if err == nil && s.pkg == nil {
			err = fmt.Errorf("%s imports itself", path)
		}
		if err != nil {
			return nil, err
		}
		return s.pkg, nil
	}
	return i.p.export.Import(path)
}

// decl returns the declaration of the function called name.
func (s *source) decl(name string) *ast.FuncDecl {
	for _, f := range s.files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == name {
				return fd
			}
		}
	}
	return nil
}
