package gencmd

import (
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
)

// programFile is what the spec program of a request is called. It never lies in
// the package: go run is shown it there, which is where it may import what the
// package may.
const programFile = "tilesmith_gen_spec.go"

// runProgram writes the spec program that r stands for, outside of the package. It runs
// it for the package pkg in dir, as run does with a spec file.
func (r *request) runProgram(con *cli.Console, dir, pkg string, check bool) error {
	if _, err := os.Stat(dir); check && err != nil {
		return fmt.Errorf("there is nothing to compare with: %w; generate without --check", err)
	}
	undo, err := makeFolder(dir)
	if err != nil {
		return err
	}
	defer undo()
	con.Bar.Say("building and running a spec for %s", r.name)
	defer con.Bar.Stop()
	if len(specfile.GoList(dir, "-f", "{{.Dir}}", cli.ModulePath+"/gen")) == 0 {
		return fmt.Errorf("%s: not in a module that has tilesmith, which the function is built with; there, run: go get -tool %s/gen/tilesmith", dir, cli.ModulePath)
	}
	var f goFunction
	if r.epilogue != "" {
		if f, err = r.resolve(dir); err != nil {
			return err
		}
	}
	text, err := r.program(f)
	if err != nil {
		return err
	}
	files := map[string]string{programFile: text}
	if names, p := specfile.MissingNames(dir); len(names) > 0 && f.path == specfile.ImportPath(dir) {
		files[specfile.StandInFile] = specfile.StandIn(p, names)
	}
	overlay, done, err := specfile.WriteOverlay(dir, files)
	if err != nil {
		return err
	}
	defer done()
	env := []string{gen.EnvPackage + "=" + pkg, gen.EnvSource + "=" + r.commandLine(),
		gen.EnvProgram + "=" + filepath.Join(filepath.Dir(overlay), programFile)}
	if check {
		env = append(env, gen.EnvCheck+"=1")
	} else {
		env = append(env, gen.EnvReport+"="+dir+", package "+pkg)
	}
	return specfile.Run(con, dir, programFile, overlay, false, env)
}

// program is the text of the spec program. Contradictory flags are a wrong command
// line, so it exits with 2.
func (r *request) program(f goFunction) (string, error) {
	var b strings.Builder
	b.WriteString("//go:build ignore\n\npackage main\n\nimport (\n")
	if r.sparse == nil {
		b.WriteString("\"fmt\"\n\"os\"\n\n")
	}
	body := r.specText()
	if strings.Contains(body, "math.") {
		b.WriteString("\"math\"\n")
	}
	for _, path := range []string{"emit", "gemm", "gemm/gpu", "gemm/simd", "gen", "layout/dtype", "sparse/format", "sparse/spec"} {
		name := path[strings.LastIndexByte(path, '/')+1:]
		lowers := r.sparse == nil && (name == "gpu" || name == "simd")
		if name == "gen" || lowers || strings.Contains(body, name+".") {
			fmt.Fprintf(&b, "%q\n", cli.ModulePath+"/"+path)
		}
	}
	if !r.allTargets() {
		b.WriteString("\"slices\"\n")
	}
	if f.path != "" {
		fmt.Fprintf(&b, "from %q\n", f.path)
	}
	b.WriteString(")\n\n")
	if f.path != "" { // a variable with a type, so that a generic function is instantiated
		fmt.Fprintf(&b, "var epilogue %s = from.%s\n\n", r.funcType(), f.name)
	}
	if r.sparse != nil { // nothing to look at before the functions are translated
		main := fmt.Sprintf("gen.Main(%s)", body)
		if r.backward {
			main = fmt.Sprintf("spec := %s\ngen.Main(spec, spec.Backward())", body)
		}
		fmt.Fprintf(&b, "func main() {\n%s\n}\n", main)
		return formatted(b.String())
	}
	back, specs := "", "spec"
	if r.backward {
		specs = "spec, back"
		back = `
	back := spec.Backward()
	if err := back.Describe().Check(); err != nil {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
		os.Exit(2)
	}`
	}
	fmt.Fprintf(&b, `func main() {
	spec := %s
	for _, t := range spec.TargetList() {
		var err error
		if t.Arch == "ptx" {
			_, err = gpu.Lower(spec.Describe(), t)
		} else {
			_, err = simd.Lower(spec.Describe(), t, simd.Options{})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "tilesmith:", err)
			os.Exit(2)
		}
	}
%s
	gen.Main(%s)
}
`, body, back, specs)
	return formatted(b.String())
}

func formatted(text string) (string, error) {
	src, err := format.Source([]byte(text))
	if err != nil {
		return "", fmt.Errorf("the spec program does not parse, which is a bug in tilesmith: %w", err)
	}
	return string(src), nil
}

// funcType is the type of the epilogue's function.
func (r *request) funcType() string {
	params, results := []string{r.types[2].Go()}, []string{r.returns.Go()}
	for _, in := range r.operands {
		params = append(params, in.Type.Go())
	}
	for _, o := range r.also {
		results = append(results, o.Type.Go())
	}
	return fmt.Sprintf("func(%s) (%s)", strings.Join(params, ", "), strings.Join(results, ", "))
}

// specText is the spec value.
func (r *request) specText() string {
	t, targets := r.types, r.targetsText()
	of := fmt.Sprintf("gemm.Spec[%s, %s, %s, %s]", t[0].Go(), t[1].Go(), t[2].Go(), t[3].Go())
	if r.sparse != nil {
		of, targets = r.sparseType(), "emit.Targets("+targets+")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s{\nName: %q,\n", of, r.name)
	if !r.allTargets() {
		fmt.Fprintf(&b, "Targets: %s,\n", targets)
	}
	for _, x := range r.said() {
		if x.field != "" {
			b.WriteString(x.field + ",\n")
		}
	}
	return b.String() + "}"
}

// targetsText is a list of some targets.
func (r *request) targetsText() string {
	return fmt.Sprintf("slices.DeleteFunc(gen.Known(), func(t emit.Target) bool { return !slices.Contains(%#v, t.Name) })", targetNames(r.targets))
}

// epilogueText is the field of an epilogue.
func (r *request) epilogueText() string {
	var b strings.Builder
	t := r.types
	also := "nil"
	if len(r.also) > 0 {
		also = "[]gemm.Output{"
		for _, o := range r.also {
			also += fmt.Sprintf("gemm.Also[%s](%q), ", o.Type.Go(), o.Name)
		}
		also += "}"
	}
	fmt.Fprintf(&b, "Epilogue: gemm.Fuse[%s, %s](epilogue, %s", t[2].Go(), t[3].Go(), also)
	for _, in := range r.operands {
		fmt.Fprintf(&b, ", gemm.%s[%s](%q)%s.In()", in.Pattern, in.Type.Go(), in.Name, rangeText(in))
	}
	b.WriteString(")")
	if r.zeros != (gemm.Zeros{}) {
		fmt.Fprintf(&b, ".ZeroPoints(%q, %q)", r.zeros.A, r.zeros.B)
	}
	return b.String()
}

// makeFolder makes dir with its parents. undo removes the folders that it made and
// nobody has filled since.
func makeFolder(dir string) (undo func(), err error) {
	var made []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		made = append(made, d)
	}
	slices.Reverse(made)
	undo = func() {
		for _, d := range slices.Backward(made) {
			os.Remove(d) // fails for one that has files, which is meant
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}
