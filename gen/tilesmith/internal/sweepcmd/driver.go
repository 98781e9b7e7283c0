package sweepcmd

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// driverFile is what the driver would be called in the user's package.
const driverFile = "tilesmith_sweep_driver_test.go"

// A userKernel is how the driver makes a sweep.Kernel of a generated function: an
// expression, and what has to be declared and imported for it.
type userKernel struct {
	name, expr, decl string
	imports          []string // as in import statements
}

// read finds the kernels among generated tests: those tests say what a kernel is and
// which oracle it belongs to.
func (p *userPackage) read(out string) error {
	tested := map[string]bool{}
	for _, file := range generatedTests(out) {
		specs, err := specsIn(file)
		if err != nil {
			return err
		}
		for _, s := range specs {
			tested[s.spec] = true
			if k, ok := kernelIn(s.File); ok {
				p.kernels = append(p.kernels, k)
			} else {
				p.tests = append(p.tests, testsIn(s.File)...)
			}
		}
	}
	stubs, err := filepath.Glob(filepath.Join(out, "*_gen_other.go"))
	if err != nil {
		return err
	}
	for _, file := range stubs {
		specs, err := specsIn(file)
		if err != nil {
			return err
		}
		for _, s := range specs {
			if !tested[s.spec] {
				p.bare = append(p.bare, s.spec)
			}
		}
	}
	for _, file := range generatedTests(filepath.Join(out, "gpu")) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		p.gpu = append(p.gpu, testsIn(f)...)
	}
	return nil
}

// A specPart is what a generated file has of one spec, as a file with its imports.
type specPart struct {
	spec string
	*ast.File
}

// specComment is the comment of a generated file that says whose the declarations below it are.
var specComment = regexp.MustCompile(`^// Spec (\w+)\.$`)

// specsIn takes a generated file apart.
func specsIn(file string) (parts []specPart, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	decls := f.Decls
	for len(decls) > 0 && isImport(decls[0]) {
		decls = decls[1:]
	}
	for _, group := range f.Comments {
		m := specComment.FindStringSubmatch(group.List[0].Text)
		if m == nil || len(group.List) > 1 {
			continue
		}
		before := func(d ast.Decl) bool { return d.Pos() > group.Pos() }
		if i := slices.IndexFunc(decls, before); i >= 0 && parts != nil {
			parts[len(parts)-1].Decls, decls = decls[:i], decls[i:]
		}
		parts = append(parts, specPart{m[1], &ast.File{Name: f.Name, Imports: f.Imports}})
	}
	if parts == nil { // of an earlier version, which wrote a file for each spec
		return []specPart{{strings.TrimSuffix(filepath.Base(file), "_test.go"), f}}, nil
	}
	parts[len(parts)-1].Decls = decls
	return parts, nil
}

func isImport(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && g.Tok == token.IMPORT
}

func testsIn(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// kernelIn reads the generated test of one spec: a function that returns a case of package check,
// or a call of check.Suite.
func kernelIn(f *ast.File) (k userKernel, ok bool) {
	for _, d := range f.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		if !isFunc || fn.Type.Results == nil {
			continue
		}
		if textOf(fn.Type.Results.List[0].Type) == "check.Case" && measured(fn) {
			return userKernel{name: strings.TrimSuffix(fn.Name.Name, "Case"), expr: fmt.Sprintf("tilesmithSweep.Of(%s)", fn.Name.Name)}, true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, isLit := n.(*ast.CompositeLit); isLit && strings.HasPrefix(textOf(lit.Type), "check.MixedCase[") {
			k, ok = caseOf(f, lit, "Mixed")
			return false
		}
		call, isCall := n.(*ast.CallExpr)
		if isCall && textOf(call.Fun) == "check.Fixed" && len(call.Args) == 2 {
			if lit, isLit := call.Args[1].(*ast.CompositeLit); isLit {
				k, ok = caseOf(f, lit, "Fixed")
			}
			return false
		}
		if !isCall || textOf(call.Fun) != "check.Suite" || len(call.Args) != 3 {
			return true
		}
		name, fields := "", ""
		for _, e := range call.Args[2].(*ast.CompositeLit).Elts {
			field := e.(*ast.KeyValueExpr)
			if key := textOf(field.Key); key == "Name" {
				name = strings.Trim(textOf(field.Value), `"`)
			} else {
				fields += fmt.Sprintf("%s: %s, ", key, textOf(field.Value))
			}
		}
		k = userKernel{name: name, expr: fmt.Sprintf("tilesmithSweep.Dense(%q, %sOpt, %sSet.Plan, tilesmithCheck.Options{%s})",
			name, name, strings.ToLower(name[:1])+name[1:], strings.TrimSuffix(fields, ", "))}
		ok = true
		return false
	})
	return k, ok
}

// measured reports whether a case is of an operation that is measured, as a product of matrices is and every one of a sparse
// matrix or a mask.
func measured(fn *ast.FuncDecl) bool {
	good := true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if field, ok := n.(*ast.KeyValueExpr); ok && textOf(field.Key) == "Op" {
			op, _, _ := strings.Cut(textOf(field.Value), "{")
			good = good && !slices.Contains([]string{"check.Equation", "check.BatchReduce", "check.Pairs", "check.Semiring"}, op)
			return false
		}
		return true
	})
	return good
}

// caseOf reads the description of a kernel, of a fixed shape or of mixed types, for the
// function of package sweep that takes such. It mentions the variable isa of the test around
// it, so the driver has it in a function of that parameter.
func caseOf(f *ast.File, lit *ast.CompositeLit, taker string) (k userKernel, ok bool) {
	for _, e := range lit.Elts {
		if field, isField := e.(*ast.KeyValueExpr); isField && textOf(field.Key) == "Name" {
			k.name = strings.Trim(textOf(field.Value), `"`)
		}
	}
	if k.name == "" {
		return k, false
	}
	text := textOf(lit)
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if strings.Contains(text, path[strings.LastIndexByte(path, '/')+1:]+".") {
			k.imports = append(k.imports, imp.Path.Value)
		}
	}
	function := "tilesmithCase" + k.name
	k.decl = fmt.Sprintf("\nfunc %s(isa string) %s {\n\treturn %s\n}\n", function, textOf(lit.Type), text)
	k.expr = fmt.Sprintf("tilesmithSweep.%s(%sOpt, %s)", taker, k.name, function)
	return k, true
}

func textOf(n ast.Node) string {
	var b strings.Builder
	printer.Fprint(&b, token.NewFileSet(), n)
	return b.String()
}

// driver is the text of the program around the kernels. The names of its imports are
// such that no package has them already.
func (p *userPackage) driver(peers bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\ttilesmithOS \"os\"\n\ttilesmithTesting \"testing\"\n\n", p.name)
	find := "nil"
	if peers {
		find = "tilesmithPeers.Find"
		fmt.Fprintf(&b, "\ttilesmithPeers %q\n", cli.ModulePath+"/gen/tilesmith/sweeppeers")
	}
	var calls strings.Builder
	imports, decls := map[string]bool{}, ""
	for _, k := range p.kernels {
		fmt.Fprintf(&calls, "\t\t%s,\n", k.expr)
		for _, path := range k.imports {
			imports[path] = true
		}
		decls += k.decl
	}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "\t%s\n", path)
	}
	if strings.Contains(calls.String(), "tilesmithCheck.") {
		fmt.Fprintf(&b, "\ttilesmithCheck %q\n", cli.ModulePath+"/verify/check")
	}
	fmt.Fprintf(&b, "\ttilesmithSweep %q\n)\n\n", cli.ModulePath+"/verify/sweep")
	fmt.Fprintf(&b, "func TestMain(m *tilesmithTesting.M) {\n\tif tilesmithOS.Getenv(tilesmithSweep.EnvConfig) == \"\" {\n\t\ttilesmithOS.Exit(m.Run())\n\t}\n")
	fmt.Fprintf(&b, "\ttilesmithOS.Exit(tilesmithSweep.Main(%s,\n%s\t))\n}\n", find, calls.String())
	b.WriteString(decls)
	return b.String()
}
