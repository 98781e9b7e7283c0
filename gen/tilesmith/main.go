// Command tilesmith generates, explains, verifies and times matrix kernels.
//
// Usage:
//
//	tilesmith demo                    generate, build, verify and time an embedded default
//	tilesmith init                    write a first spec file into the package in this folder
//	tilesmith run [--check] spec.go   generate the kernels of spec files into their packages
//	tilesmith gen gemm FLAGS          generate from flags, without a spec file;
//	                                  also spmm, spmv, sddmm, rgms, segment, softmax and
//	                                  attention
//	tilesmith explain spec.go         predict how fast kernels are on a machine and what binds
//	                                  them; show plans, the cost of an epilogue, the IR after
//	                                  each pass and the assembly of one function
//	tilesmith verify [spec.go ...]    check the stock kernels, or those of specs, without
//	                                  writing a file
//	tilesmith sweep [spec.go ...]     check them, then time them: tables, benchmark lines,
//	                                  CSV, JSON, a page with the roofline
//	tilesmith gpu                     check the GPU kernels and time them against cuBLAS,
//	                                  or check them on an emulator: --emu
//	tilesmith emu run FILE.ptx ARG... execute any PTX on an emulator that finds races, wrong
//	                                  addresses and reads of memory that was never written;
//	                                  emu list shows the arguments of its kernels
//	tilesmith formats FILE            predict and measure what each sparse format costs for a
//	                                  matrix, and say which one to use
//	tilesmith dist plan FILE.mtx      predict what each way to spread a sparse product over
//	                                  ranks sends and how long it takes, and say which to use
//	tilesmith dist run FILE.mtx       do it on goroutines or under mpirun or srun: check, count
//	                                  and time it
//	tilesmith machine                 measure the numbers behind plans on this machine, compare
//	                                  with the data for it, and write a file: --out
//	tilesmith version                 print the versions of the module and of Go, and what this
//	                                  machine has
//	tilesmith completion SHELL        print a script that completes commands, flags and values
//
// In place of a spec file you can name a folder, for the specs in its go:generate lines, or
// dir/..., for a folder and all folders below.
//
// To generate a product with an epilogue from flags, in a module that has tilesmith:
//
//	tilesmith gen gemm --name DenseGELU --epilogue act.GELU --out dense
//	tilesmith gen gemm --name Swish --epilogue layers.Swish --operands bias=percolumn:f32 --out dense
//	tilesmith gen spmm --name Aggregate --format csr --features 128 --reduce mean --epilogue act.ReLU --out graph
//
// In a module that has tilesmith as a tool, call it as go tool tilesmith.
//
// tilesmith help COMMAND lists the flags. Data goes to stdout, progress and errors to
// stderr. The exit code is 0 on success. It is 1 if something failed, did not match or is
// not up to date, and 2 if the command line was wrong. After Ctrl-C the command prints what
// it has found and exits with 130 (143 after SIGTERM, 129 after SIGHUP). It exits with 141
// if nobody reads the output any more.
package main

import (
	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/demo"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/distcmd"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/emucmd"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/formats"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/gencmd"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/gpucmd"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/machinecmd"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/sweepcmd"
)

func main() { cli.Main(commands()...) }

func commands() []*cobra.Command {
	return []*cobra.Command{
		demo.Command(), gencmd.InitCommand(), specfile.RunCommand(), gencmd.Command(), specfile.ExplainCommand(), sweepcmd.VerifyCommand(), sweepcmd.SweepCommand(),
		formats.Command(), distcmd.Command(), machinecmd.Command(), gpucmd.Command(), emucmd.Command(), versionCommand(),
	}
}
