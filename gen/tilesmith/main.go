// Command tilesmith generates, explains, verifies and times matrix kernels.
//
// Usage:
//
//	tilesmith demo                    generate, build, verify and time an embedded default
//	tilesmith init                    write a first spec file into the package in this folder
//	tilesmith run [--check] spec.go   generate what spec files describe into their packages
//	tilesmith gen gemm FLAGS          the same from flags, without a spec file;
//	                                  also spmm, spmv, sddmm, rgms, segment, softmax and
//	                                  attention
//	tilesmith explain spec.go         how fast kernels should be on a machine and what binds
//	                                  them, the plans of their products, what an epilogue costs,
//	                                  the IR after each pass and the assembly of one function
//	tilesmith verify [spec.go ...]    put kernels through every check: the stock ones,
//	                                  or those of specs, without writing a file
//	tilesmith sweep [spec.go ...]     the same, then time them: tables, benchmark lines,
//	                                  CSV, JSON, a page with the roofline
//	tilesmith gpu                     check the GPU kernels and time them against cuBLAS,
//	                                  or check them on an emulator: --emu
//	tilesmith emu run FILE.ptx ARG... execute anybody's PTX on an emulator that looks for races,
//	                                  wrong addresses and what was never written; emu list
//	                                  says what its kernels take
//	tilesmith formats FILE            what each sparse format would cost for a matrix, predicted
//	                                  and measured, and which one to take
//	tilesmith dist plan FILE.mtx      what each way to spread a product with a sparse matrix over
//	                                  ranks would send, how long it would take, which to choose;
//	tilesmith dist run FILE.mtx       do it, on goroutines or under mpirun or srun, checked,
//	                                  counted and timed
//	tilesmith machine                 measure what plans are made with on this machine, beside
//	                                  the data for it, and write it to a file: --out
//	tilesmith version                 the version of the module, of Go, and what this machine has
//	tilesmith completion SHELL        a script that completes commands, flags and their values
//
// Where a spec file may stand, so may a folder, for the specs that its go:generate lines
// run, and dir/..., for those of a folder and all below.
//
// A product with an epilogue from flags, in a module that has tilesmith:
//
//	tilesmith gen gemm --name DenseGELU --epilogue act.GELU --out dense
//	tilesmith gen gemm --name Swish --epilogue layers.Swish --operands bias=percolumn:f32 --out dense
//	tilesmith gen spmm --name Aggregate --format csr --features 128 --reduce mean --epilogue act.ReLU --out graph
//
// In a module that has tilesmith as a tool, it is called by go tool tilesmith.
//
// tilesmith help COMMAND lists the flags. Data goes to stdout, progress and errors to
// stderr. The exit code is 0 if all went well, 1 if something failed, did not match or is
// not up to date, 2 if the command line was wrong, 130 after Ctrl-C, when what was found
// until then is printed (143 after SIGTERM, 129 after SIGHUP), and 141 if nobody reads the
// output any more.
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
