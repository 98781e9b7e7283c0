package asmtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
	"github.com/tilesmith/tilesmith/internal/level"
)

// runner is the program that calls the functions: it reads inputs, each after the
// number of its function, and writes what the functions leave.
const runner = `package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unsafe"
)

type args struct {
	p, q unsafe.Pointer
	n, k int64
	x    float32
	y    float64
}

type input struct {
	Func uint64
	N, K int64
	X    float32
	_    uint32
	Y    float64
	Mem  [%[1]d]byte
}

const guard = 68 // not a multiple of 8: nothing is aligned

func main() {
	r, w := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer w.Flush()
	src, dst := make([]byte, %[1]d+2*guard), make([]byte, %[2]d+2*guard)
	last := lastBytes(%[1]d)
	for {
		var in input
		if err := binary.Read(r, binary.LittleEndian, &in); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		copy(src[guard:], in.Mem[:])
		for i := range dst {
			dst[i] = %[3]d
		}
		funcs[in.Func](&args{unsafe.Pointer(&src[guard]), unsafe.Pointer(&dst[guard]), in.N, in.K, in.X, in.Y})
		for i, b := range dst {
			if (i < guard || i >= len(dst)-guard) && b != %[3]d {
				panic(fmt.Sprintf("function %%d wrote at %%d", in.Func, i-guard))
			}
		}
		if string(src[guard:len(src)-guard]) != string(in.Mem[:]) {
			panic(fmt.Sprintf("function %%d wrote to its input", in.Func))
		}
		w.Write(dst[guard : len(dst)-guard])
		if last == nil {
			continue
		}
		// Nothing behind the input can be read, and nothing else follows from where it is.
		want := string(dst)
		copy(last, in.Mem[:])
		for i := range dst {
			dst[i] = %[3]d
		}
		funcs[in.Func](&args{unsafe.Pointer(&last[0]), unsafe.Pointer(&dst[guard]), in.N, in.K, in.X, in.Y})
		if string(dst) != want {
			panic(fmt.Sprintf("function %%d does something else at the end of a page", in.Func))
		}
	}
}
`

// lastBytes are the files of the runner with the function lastBytes: it returns the last n bytes
// before memory that cannot be read, nil if the system is not Linux.
var lastBytes = map[string]string{"last_linux.go": `package main

import "syscall"

func lastBytes(n int) []byte {
	size := syscall.Getpagesize()
	b, err := syscall.Mmap(-1, 0, 2*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	if err := syscall.Mprotect(b[size:], syscall.PROT_NONE); err != nil {
		panic(err)
	}
	return b[size-n : size : size]
}
`, "last_other.go": `//go:build !linux

package main

func lastBytes(int) []byte { return nil }
`}

// A Run says how a program for a machine is built and run.
type Run struct {
	Env     []string                   // of go build, such as GOARCH=arm64
	Files   map[string]string          // what else belongs to the program
	Command func(exe string) *exec.Cmd // that runs it; nil: it runs here
}

// Native builds a program of all functions, outside the source tree, and compares what they
// do with the interpreter, bit for bit. Programs of one target come after one another.
func (s *Suite) Native(t *testing.T, how Run, programs []Program) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to assemble with")
	}
	exe, ready := s.build(t, how, programs)
	calls, stdin := inputs(t, ready)
	c := exec.Command(exe)
	if how.Command != nil {
		c = how.Command(exe)
	}
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%.4000s", err, stderr.String())
	}
	if n := stdout.Len(); n != len(calls)*outBytes {
		t.Fatalf("%d bytes of results, want %d", n, len(calls)*outBytes)
	}
	failed := map[int]bool{}
	for _, c := range calls {
		p := ready[c.program]
		if d := differ(p.Slots, stdout.Next(outBytes), c.want); d != "" && !failed[c.program] {
			failed[c.program] = true
			text, _ := s.Compile(p.Target, p.F.Clone())
			t.Errorf("%s (n = %d, k = %d): %s\n%s%s", p.F.Name, c.in.N, c.in.K, d, p.F, text)
			if len(failed) == 3 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d calls", len(calls))
}

// build returns the program and the functions in it. Those that are too large for the
// registers are left out.
func (s *Suite) build(t *testing.T, how Run, programs []Program) (exe string, ready []Program) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var targets []emit.Target
	functions := map[string][]*emit.Func{}
	var stubs, list strings.Builder
	refused, spilled, may := 0, 0, map[string]bool{}
	for _, p := range programs {
		f := p.F.Clone()
		if _, err := s.Compile(p.Target, f); err != nil {
			if !p.MayRefuse || !s.TooLarge(err) {
				t.Fatalf("%v in\n%s", err, p.F)
			}
			refused++
			continue
		}
		if asm.FrameSize(p.Target, f) > 0 {
			spilled++
		}
		if p.F.Spills {
			may[p.Target.Name] = true
		}
		if functions[p.Target.Name] == nil {
			targets = append(targets, p.Target)
		}
		functions[p.Target.Name] = append(functions[p.Target.Name], f)
		ready = append(ready, p)
		fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(args *args)\n\n", f.Name)
		fmt.Fprintf(&list, "\t%s,\n", f.Name)
	}
	for _, target := range targets {
		var text strings.Builder
		if err := s.Backend.Print(&text, target, "", functions[target.Name]); err != nil {
			t.Fatal(err)
		}
		write(target.Name+"_"+target.Arch+".s", text.String())
	}
	write("go.mod", "module native\n\ngo 1.26\n")
	write("main.go", fmt.Sprintf(runner, InBytes, outBytes, filler))
	write("stubs.go", "package main\n\n"+stubs.String()+"var funcs = []func(*args){\n"+list.String()+"}\n")
	for _, files := range []map[string]string{lastBytes, how.Files} {
		for name, text := range files {
			write(name, text)
		}
	}
	tool := func(args ...string) {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"), how.Env...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%.4000s", args[0], err, out)
		}
	}
	exe = filepath.Join(dir, "native.exe")
	tool("build", "-o", exe, ".")
	tool("vet", ".")                          // without a flag, which would have the standard library vetted again
	if want := 4 * len(may); spilled < want { // spillmore_ of each type needs more registers than there are
		t.Errorf("%d functions spill, want %d at least", spilled, want)
	}
	t.Logf("%d functions, %d of which spill; %d random programs need too many registers", len(ready), spilled, refused)
	return exe, ready
}

// A call is one of a program, with what it leaves.
type call struct {
	program int
	in      *Input
	want    []byte
}

// inputs returns the calls of programs and what the runner reads for them.
func inputs(t *testing.T, programs []Program) ([]call, *bytes.Buffer) {
	t.Helper()
	var calls []call
	var stdin bytes.Buffer
	r := rand.New(level.PCG(1, 2))
	for i, p := range programs {
		n := p.Calls
		if n == 0 {
			n = 6
		}
		for c := range n {
			in := randomInput(r, i+c) // n of the inputs differs from program to program
			if p.Input != nil {
				in = p.Input(r)
			}
			want, err := interpret(p.F, in)
			if err != nil {
				t.Fatalf("%v in\n%s", err, p.F)
			}
			calls = append(calls, call{i, in, want})
			binary.Write(&stdin, binary.LittleEndian, uint64(i))
			binary.Write(&stdin, binary.LittleEndian, in)
		}
	}
	return calls, &stdin
}
