// Command tilesmith generates, explains, verifies and times matrix kernels.
//
// Usage:
//
//	tilesmith demo                    generate, build, verify and time an embedded default
//	tilesmith init                    write a first spec file into the package in this folder
//	tilesmith run [--check] spec.go   generate what a spec file describes into its package
//	tilesmith gen gemm FLAGS          the same from flags, without a spec file;
//	                                  also spmm, spmv and sddmm
//	tilesmith explain spec.go         the IR after each pass and the assembly of one function,
//	                                  what an epilogue costs, how fast kernels should be on a
//	                                  machine, and the plans of their products
//	tilesmith verify [spec.go ...]    put kernels through every check: the stock ones,
//	                                  or those of specs, without writing a file
//	tilesmith sweep [spec.go ...]     the same, then time them: benchmark lines, JSON,
//	                                  a page with the roofline, tables
//	tilesmith gpu                     check the GPU kernels and time them against cuBLAS,
//	                                  or check them on an emulator: --emu
//	tilesmith formats FILE.mtx        what each sparse format would cost for a matrix, predicted
//	                                  and measured, and which one to take
//	tilesmith machine                 measure what plans are made with on this machine, beside
//	                                  the data for it, and write it to a file: --out
//
// A product with an epilogue from flags, in a module that has tilesmith:
//
//	tilesmith gen gemm --name DenseGELU --epilogue act.GELU --out dense
//	tilesmith gen gemm --name Swish --epilogue layers.Swish --operands bias=percolumn:f32 --out dense
//	tilesmith gen spmm --name Aggregate --format csr --features 128 --reduce mean --epilogue act.ReLU --out graph
//
// tilesmith COMMAND --help lists the flags. Data goes to stdout, progress and
// errors to stderr. The exit code is 0 if all went well, 1 if something failed,
// did not match or is not up to date, and 2 if the command line was wrong.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

// A command is one word after tilesmith.
type command struct {
	name, args, doc string
	run             func(args []string) error
}

func commands() []command {
	return []command{
		{"demo", "[--quick] [--isa ISA]", "generate, build, verify and time an embedded default", demo},
		{"init", "[--package NAME]", "write a first spec.go, and the go:generate line for it, into this folder", initCommand},
		{"run", "[--check] spec.go", "generate what spec.go describes into its package", runSpec},
		{"gen", "gemm|spmm|spmv|sddmm --name NAME", "generate a product described by flags", genKernel},
		{"formats", "FILE.mtx [FLAGS]", "what each sparse format would cost for a matrix, and which one to take", formats},
		{"machine", "[--out FILE] [--json]", "measure what plans are made with on this machine, beside the data for it", measureMachine},
		{"verify", "[spec.go | DIR ...]", "put kernels through every check: the stock ones, or those of specs", verifyKernels},
		{"sweep", "[spec.go | DIR ...]", "check kernels, then time them beside ceilings and other libraries", sweepKernels},
		{"gpu", "[FLAGS]", "check the GPU kernels, and time them against cuBLAS", checkGPU},
		{"explain", "spec.go [FLAGS]", "show the IR after each pass and the assembly of a function", explain},
	}
}

// A usageError is a wrong command line: exit code 2.
type usageError struct{ error }

// A childError says that a program which we ran failed, with this exit code, and
// has said why.
type childError struct{ code int }

func (e childError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

func main() {
	err := dispatch(os.Args[1:], os.Stdout)
	var child childError
	if err != nil && !errors.As(err, &child) {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
	}
	os.Exit(exitCode(err))
}

// exitCode is what the command exits with.
func exitCode(err error) int {
	var child childError
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(usageError)):
		return 2
	case errors.As(err, &child) && child.code == 2:
		return 2
	}
	return 1
}

func dispatch(args []string, help io.Writer) error {
	if len(args) == 0 {
		usage(os.Stderr)
		return usageError{errors.New("a command is missing")}
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(help)
		return nil
	}
	for _, c := range commands() {
		if c.name == args[0] {
			err := c.run(args[1:])
			if errors.Is(err, pflag.ErrHelp) { // pflag has printed it
				return nil
			}
			return err
		}
	}
	return usageError{fmt.Errorf("there is no command %q; tilesmith help lists them", args[0])}
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: tilesmith COMMAND [ARGUMENTS]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-36s %s\n", c.name+" "+c.args, c.doc)
	}
	fmt.Fprintln(w, "tilesmith COMMAND --help lists the flags of a command.")
}

// newFlags returns a flag set whose help begins with a line of usage.
func newFlags(name, args string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {
		fmt.Printf("usage: tilesmith %s %s\n%s", name, args, flags.FlagUsages())
	}
	return flags
}

// parse reads flags and requires n other arguments, described by want.
func parse(flags *pflag.FlagSet, args []string, n int, want string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	if flags.NArg() != n {
		return usageError{errors.New(want)}
	}
	return nil
}
