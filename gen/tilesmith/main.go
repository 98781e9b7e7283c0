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
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// A usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A childError says that a program which we ran failed, with this exit code, and
// has said why.
type childError struct{ code int }

func (e childError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

var (
	// errInterrupted is the cause of a context that Ctrl-C or another signal has ended, see signalled.
	errInterrupted = errors.New("interrupted")
	// errUnread is that of one where the reader of stdout has gone: tilesmith explain | head.
	errUnread = errors.New("nobody reads the output any more")
)

// The conventional codes of programs that a signal ends are 128 and its number.
const (
	exitSignal = 128
	exitUnread = exitSignal + 13
)

func main() {
	leave := ownTemp(os.Args[1:])
	defer leave() // of a panic
	ctx := untilInterrupt(leave)
	keepOnUnread()
	ctx, unread := context.WithCancelCause(ctx)
	out := &output{File: os.Stdout, unread: unread}
	err := execute(ctx, os.Args[1:], out, os.Stderr)
	if err == nil {
		err = out.failed
	}
	leave()
	if context.Cause(ctx) == errUnread || isUnread(err) { // whatever became of it, nobody wants to know
		os.Exit(exitUnread)
	}
	var child childError
	if err != nil && !errors.As(err, &child) {
		fmt.Fprintln(os.Stderr, colours(os.Stderr).bad("tilesmith:"), sentence(err))
	}
	os.Exit(exitCode(err))
}

// exitCode is what the command exits with.
func exitCode(err error) int {
	var child childError
	var by signalled
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnread):
		return exitUnread
	case errors.As(err, &by):
		return exitSignal + int(by.by)
	case errors.Is(err, errInterrupted):
		return exitSignal + int(syscall.SIGINT)
	case errors.As(err, new(usageError)):
		return 2
	case errors.As(err, &child) && child.code == 2:
		return 2
	}
	return 1
}

// sentence is an error on one line.
func sentence(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "; ")
	return strings.ReplaceAll(text, ":; ", ": ")
}
