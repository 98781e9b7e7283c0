package gencmd

import (
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/fn"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A goFunction is a function by its package's path and its name.
type goFunction struct{ path, name string }

// resolve finds the function that --epilogue means, seen from the folder dir, and
// refuses what cannot be the epilogue of r.
func (r *request) resolve(dir string) (goFunction, error) {
	f, err := r.function()
	if err != nil {
		return f, cli.Usagef("--epilogue %s: %w", r.epilogue, err)
	}
	if !strings.Contains(f.path, "/") {
		path, err := packageCalled(dir, f.path)
		if err != nil {
			return f, cli.Usagef("--epilogue %s: %w", r.epilogue, err)
		}
		f.path = path
	}
	return f, r.fits(dir, f)
}

// function reads --epilogue: the path of a package, or its name alone, and a function.
func (r *request) function() (goFunction, error) {
	i := strings.LastIndexByte(r.epilogue, '.')
	if i < 0 || i < strings.LastIndexByte(r.epilogue, '/') || !token.IsIdentifier(r.epilogue[i+1:]) {
		return goFunction{}, errors.New("want a function with its package, as in act.GELU or example.com/x/layers.Swish")
	}
	f := goFunction{r.epilogue[:i], r.epilogue[i+1:]}
	if !token.IsExported(f.name) {
		return f, fmt.Errorf("%s is not exported; export it, or write a spec file, which may hold the function itself", f.name)
	}
	for part := range strings.SplitSeq(f.path, "/") {
		if !pathPart.MatchString(part) || strings.Trim(part, ".") == "" {
			return f, fmt.Errorf("%q is not the path of a package; it looks like act or example.com/x/layers", f.path)
		}
	}
	return f, nil
}

// pathPart is what may stand between the slashes of a path. That is what an import may
// have, with no letter at the beginning that the go command takes for a flag or a
// pattern.
var pathPart = regexp.MustCompile(`^[\pL\pN_.~][\pL\pN_.~+-]*$`)

// packageCalled returns the path of the package called name in dir's module, of
// tilesmith's act and quant, or of the standard library.
func packageCalled(dir, name string) (string, error) {
	module := specfile.GoList(dir, "-m")
	if len(module) == 0 {
		return "", fmt.Errorf("%s is not in a module", dir)
	}
	var found []string
	for _, l := range specfile.GoList(dir, "-e", "-f", "{{.Name}} {{.ImportPath}}", module[0]+"/...", cli.ModulePath+"/gemm/act", cli.ModulePath+"/layout/quant") {
		if have, path, ok := strings.Cut(l, " "); ok && have == name && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if std := specfile.GoList(dir, "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", name); len(std) == 1 {
			return std[0], nil
		}
		return "", fmt.Errorf("no package of module %s is called %s; write the package's full path, as in example.com/x/%[2]s.Func", module[0], name)
	}
	return "", fmt.Errorf("%s may be %s; write the full path", name, strings.Join(found, " or "))
}

// fits looks at the function's source: whether it is there, takes the sum and the
// operands, returns the outputs, and means something in a lane.
func (r *request) fits(dir string, f goFunction) error {
	params := []fn.Type{elemType(r.types[2])}
	call := []string{"the sum, " + r.types[2].Go()}
	for _, in := range r.operands {
		params = append(params, elemType(in.Type))
		call = append(call, in.Name+", "+in.Type.Go())
	}
	results := []fn.Type{elemType(r.types[3])}
	for _, o := range r.also {
		results = append(results, elemType(o.Type))
	}
	fail := func(err error) error {
		why := strings.ReplaceAll(err.Error(), ":\n\t", ": ") // the go command's own advice
		return cli.Usagef("--epilogue %s, which is given %s: %s", r.epilogue, strings.Join(call, "; "), why)
	}
	prog, err := fn.Config{Dir: dir, Env: specfile.HostEnv()}.Load(f.path)
	if err != nil {
		return fail(err)
	}
	ref, err := fn.Named(f.path+"."+f.name, params...)
	if err != nil {
		return fail(err)
	}
	have, err := prog.Lookup(ref)
	switch {
	case err == nil:
	case errors.As(err, new(*fn.Error)):
		return fail(err)
	default:
		return fail(fmt.Errorf("%w; go doc %s lists its functions", err, f.path))
	}
	if _, err := gemm.Store(r.types[2], r.types[3]); err == nil && have.Results[0] == elemType(r.types[2]) {
		results[0], r.returns = have.Results[0], r.types[2] // it is rounded by itself
	}
	if !slices.Equal(have.Params, params) || !slices.Equal(have.Results, results) {
		return fail(fmt.Errorf("it takes %s and returns %s, and --types, --operands and --also say %s and %s",
			typeList(have.Params), typeList(have.Results), typeList(params), typeList(results)))
	}
	return nil
}

// elemType is an element type as package fn has it; every one is there.
func elemType(t dtype.Type) fn.Type {
	u, err := fn.ParseType(t.Go())
	if err != nil {
		panic(err)
	}
	return u
}

func typeList(ts []fn.Type) string {
	var names []string
	for _, t := range ts {
		names = append(names, t.String())
	}
	return "(" + strings.Join(names, ", ") + ")"
}
