// Package gencmd generates kernels that flags describe, tilesmith gen, and begins packages of kernels, tilesmith init.
package gencmd

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
)

// Command generates what flags describe, for those who want no spec file.
func Command() *cobra.Command { return command((*request).generate) }

// command does something with a request.
func command(do func(r *request, con *cli.Console, out string) error) *cobra.Command {
	c := cli.NewCommand("gen "+strings.Join(kinds(), "|")+" --name NAME", "generate a product described by flags", func(c *cobra.Command, args []string) error {
		err := kindError()
		if len(args) > 0 {
			if like := c.SuggestionsFor(args[0]); len(like) > 0 {
				err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(like, " or "))
			}
		}
		return cli.Usage(err)
	}, func(*cobra.Command, []string) error { return nil })
	c.FParseErrWhitelist.UnknownFlags = true // those of a kind that is not there
	c.AddCommand(gemmCommand(do))
	for _, op := range sparseOps {
		c.AddCommand(sparseCommand(op, do))
	}
	return c
}

// gemmCommand is the kind of dense products.
func gemmCommand(do func(r *request, con *cli.Console, out string) error) *cobra.Command {
	r, l := new(request), new(lists)
	c := cli.NewCommand("gemm --name NAME [FLAGS]", "generate a product of dense matrices",
		cli.Exactly(0, "gen gemm takes flags only, as in: tilesmith gen gemm --name DenseX --out DIR"), func(c *cobra.Command, _ []string) error {
			if r.name == "" {
				return cli.Usagef("gen gemm needs --name, the generated function, as in --name DenseX")
			}
			if err := r.parse(l); err != nil {
				return cli.Usage(err)
			}
			return do(r, cli.ConsoleOf(c), l.out)
		})
	flags := c.Flags()
	flags.StringVar(&l.types, "types", "f32,f32,f32,f32", "element types of a, b, the accumulator and out")
	r.addFlags(flags)
	flags.StringVar(&l.zeros, "zeros", "", "parameters that are zero points of integers a and b, as in a=az,b=bz; the function gets the sum corrected for them")
	flags.BoolVar(&r.backward, "backward", false, "also generate its gradient, as NAMEBack; the function's derivative is derived, and gradients by rows and columns are reductions")
	flags.BoolVar(&r.grouped, "grouped", false, "also generate a function for groups, NAMEGrouped: products of different shapes in one call, on a GPU in one launch,\nsuch as those of a mixture of experts")
	flags.Var(&r.shape, "shape", "dimensions that every product will have, 0 for the others, as in 8,8,8 or 0,128,64")
	flags.Var(&r.reduce, "reduce", "sum the products of so many pairs of blocks of the --shape, or of any number, as in any or 9;\nthree more numbers say how many elements rows of a, b and out are apart, as in any,64,0,0")
	flags.Var(&r.form, "structure", "the elements that a, b and out have: lower, upper, unitlower, unitupper, symmetriclower or symmetricupper of a, the last two of b,\nlower or upper of out, as in a=symmetriclower,out=upper")
	r.listFlags(c, l)
	return c
}

// addFlags declares the flags of every kind of kernel that come first, listFlags
// those that come last.
func (r *request) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&r.name, "name", "", "the generated function, as in DenseX")
	flags.StringVar(&r.epilogue, "epilogue", "", "the Go function of each sum: act.GELU, PKG.Func or github.com/x/y.Func")
}

// lists are flags that are read when all are there, and the folder.
type lists struct{ types, operands, also, zeros, targets, out string }

func (r *request) listFlags(c *cobra.Command, l *lists) {
	flags := c.Flags()
	flags.StringVar(&l.operands, "operands", "", "operands of the function after the sum, in order, as in bias=percolumn:f32,\nscale=perrow,res=full:i8,alpha=scalar; without a type, that of the accumulator;\na range may follow the type, as in eps=perrow:f32:0.001..1")
	flags.StringVar(&l.also, "also", "", "results of the function after out, in order, as in pre:f32")
	flags.StringVar(&l.targets, "targets", "", "as in avx2,avx512,sm_80 (default: every CPU target with kernels of its own for the types); code for GPUs goes to the sub-folder gpu")
	flags.StringVar(&l.out, "out", ".", "the folder to write to; it is made if it is missing")
	flags.StringVar(&r.pkg, "package", "", "the package there (default: as its files say, else after the folder)")
	flags.BoolVar(&r.check, "check", false, "compare with the existing files; exit 1 with a diff if they differ")
	if err := c.MarkFlagDirname("out"); err != nil {
		panic(err)
	}
}

// generate writes the files of a request, or compares them with those that are there.
func (r *request) generate(con *cli.Console, out string) error {
	p, err := packageFor(out, r.pkg)
	if err != nil {
		return err
	}
	if err := onlyLine(out, r.name); err != nil {
		return err
	}
	specs := r.plain()
	if specs == nil {
		return r.runProgram(con, out, p, r.check)
	}
	files, err := gen.Generate(gen.Options{Package: p, Source: r.commandLine(), Dir: out}, specs...)
	if err != nil {
		return err
	}
	if r.check {
		err := gen.Check(out, files)
		if stale := (*gen.StaleError)(nil); errors.As(err, &stale) {
			fmt.Fprint(con.Out, stale.Diff)
		}
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	did, err := gen.Update(out, files)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.Log, "tilesmith: %s, package %s: %v\n", out, p, did)
	return nil
}

// targetsOf reads a list of targets; best first, whatever the order of the list.
func targetsOf(list string) ([]emit.Target, error) {
	all := gen.Known()
	var known []string
	for _, t := range all {
		known = append(known, t.Name)
	}
	want := strings.Split(list, ",")
	for i, w := range want {
		if !slices.Contains(known, w) {
			why := ""
			if strings.HasPrefix(w, "sm_") {
				why = "; text for a GPU runs on every later one too, so sm_90 does on sm_103"
			}
			return nil, fmt.Errorf("--targets: there is no target %q; there is %s%s", w, strings.Join(known, ", "), why)
		}
		if slices.Contains(want[:i], w) {
			return nil, fmt.Errorf("--targets: %s is listed twice", w)
		}
	}
	return slices.DeleteFunc(all, func(t emit.Target) bool { return !slices.Contains(want, t.Name) }), nil
}

// packageFor is the package to generate into: as asked, else that of the files in
// dir, else named after dir.
func packageFor(dir, asked string) (string, error) {
	have, err := specfile.PackageName(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(specfile.NoPackageError)):
	case err != nil:
		return "", err
	case asked != "" && asked != have:
		return "", cli.Usagef("--package %s: %s holds package %s", asked, dir, have)
	default:
		return have, nil
	}
	from := ""
	if asked == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		from = filepath.Base(abs)
		asked = specfile.PackageAfter(from)
	}
	switch {
	case asked == "" && from != "":
		return "", cli.Usagef("no package can be named after the folder %q; give a name with --package, as in --package kernels", from)
	case !token.IsIdentifier(asked) || asked == "_" || asked == "main":
		return "", cli.Usagef("%q cannot be the name of a package of kernels; give another with --package, as in --package kernels", asked)
	}
	return asked, nil
}
