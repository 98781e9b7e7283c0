package peer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/llvm"
	"github.com/tilesmith/tilesmith/internal/child"
)

// LLC is LLVM's code generator. It is a second opinion on our kernels, and a peer for
// their speed, since it chooses instructions, registers and their order by itself.
type LLC struct {
	Path    string
	Version string // "14.0.6"
	Major   int
}

// The versions of llc that are tried by name, and the oldest that is known to take what
// we print.
const newestLLC, oldestLLC = 29, 14

// FindLLC returns the llc that TILESMITH_LLC names, or else the first in PATH of llc,
// llc-29, ... llc-14. The error says what was tried and what to install.
func FindLLC() (*LLC, error) {
	names := []string{os.Getenv("TILESMITH_LLC")}
	if names[0] == "" {
		names[0] = "llc"
		for v := newestLLC; v >= oldestLLC; v-- {
			names = append(names, fmt.Sprintf("llc-%d", v))
		}
	}
	var last error
	for _, name := range names {
		c, err := openLLC(name)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, exec.ErrNotFound) || last == nil {
			last = err
		}
	}
	return nil, fmt.Errorf("peer: llc: %w; install llvm %d or newer (Debian: llvm), or set TILESMITH_LLC to the file", last, oldestLLC)
}

var llcVersion = regexp.MustCompile(`LLVM version ((\d+)\.\d+\S*)`)

func openLLC(name string) (*LLC, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	out, err := tool(path, "--version")
	if err != nil {
		return nil, err
	}
	m := llcVersion.FindStringSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s --version does not say which LLVM it is of", path)
	}
	c := &LLC{Path: path, Version: m[1]}
	if c.Major, err = strconv.Atoi(m[2]); err != nil || c.Major < oldestLLC {
		return nil, fmt.Errorf("%s is of LLVM %s", path, c.Version)
	}
	return c, nil
}

// tool runs a program of the machine, for at most two minutes, and returns what it
// prints.
func tool(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := child.Command(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := child.Run(cmd); err != nil {
		text := strings.TrimSpace(stderr.String())
		return "", fmt.Errorf("%s: %w: %.400s", name, cmp.Or(ctx.Err(), err), text)
	}
	return stdout.String(), nil
}

// Compile has llc make machine code of the functions, as -O3 does, and loads it. fs are
// as they were lowered; they are not changed. The target must be one that this machine
// has, which nobody checks.
func (c *LLC) Compile(t emit.Target, fs []*emit.Func) (*Object, error) {
	b := llvm.Backend{Opaque: c.Major >= 15}
	ready := make([]*emit.Func, len(fs))
	for i, f := range fs {
		ready[i] = f.Clone()
		if err := emit.Run(ready[i], b.Passes(t), nil); err != nil {
			return nil, fmt.Errorf("peer: llc: %w", err)
		}
	}
	var text bytes.Buffer
	if err := b.Print(&text, t, "", ready); err != nil {
		return nil, fmt.Errorf("peer: llc: %w", err)
	}
	return c.Load(text.Bytes())
}

// Load compiles a file of LLVM IR and loads it. No product is fused with a sum unless the
// file says so.
func (c *LLC) Load(ir []byte) (*Object, error) {
	dir, err := os.MkdirTemp("", "tilesmith-llc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // what is loaded stays after its file is gone
	source, object := filepath.Join(dir, "kernels.ll"), filepath.Join(dir, "kernels.o")
	if err := os.WriteFile(source, ir, 0o600); err != nil {
		return nil, err
	}
	args := append(slices.Clone(llcFlags), "-O3", "-fp-contract=off", "-relocation-model=pic", "-filetype=obj", "-o", object, source)
	if _, err := tool(c.Path, args...); err != nil {
		return nil, fmt.Errorf("peer: llc: %w", err)
	}
	o, err := loadObject(object)
	if err != nil {
		return nil, fmt.Errorf("peer: llc: %w", err)
	}
	return o, nil
}

// Object is machine code that is loaded.
type Object struct {
	find func(name string) (func(args unsafe.Pointer), error)
}

// Func returns the kernel called name: a C function of the address of an argument block.
// Unlike a stub of ours it crosses into C, which costs a call some 100 ns. The block must
// not be on a stack, and is not: the compiler moves to the heap what a function value takes.
func (o *Object) Func(name string) (func(args unsafe.Pointer), error) {
	f, err := o.find(name)
	if err != nil {
		return nil, fmt.Errorf("peer: llc: %w", err)
	}
	return f, nil
}
