package gen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// gpuFolder is the sub-package that code for GPUs is written to, and its name: a
// package for CPUs only must not come to depend on cuda.
const gpuFolder = "gpu"

// gpuLowerer is a spec that has a meaning on a GPU.
type gpuLowerer interface {
	LowerGPU(emit.Target) (*gemm.GPUModule, error)
}

// gpuOptions are the options of what is written to the sub-package: its headers name
// the source as it is seen from there, which also tells its files from those of a
// spec that lies there.
func gpuOptions(o Options) Options {
	o.Package, o.Source = gpuFolder, gpuSource(o.Source)
	return o
}

func gpuSource(source string) string {
	if strings.HasSuffix(source, ".go") {
		return "../" + source
	}
	return source
}

// gpuNames are what the entry points of a product on a GPU call their own.
var gpuNames = []string{"stream", "call", "cuda", "run", "dtype"}

// generateGPU returns the files of a product for GPUs: the PTX, and the Go files of
// the sub-package.
func generateGPU(o Options, base string, s gpuLowerer, targets []emit.Target, funcs *functions) (files []File, texts []text, err error) {
	o = gpuOptions(o)
	var mods []*gemm.GPUModule
	for _, t := range targets {
		m, err := s.LowerGPU(t)
		if err != nil {
			return nil, nil, err
		}
		if err := checkGPU(m); err != nil {
			return nil, nil, fmt.Errorf("gen: %s: %w", m.Name, err)
		}
		if err := funcs.inlineGPU(m); err != nil {
			return nil, nil, err
		}
		if err := funcs.translate(operatorOf(s), gpuFuncs(m)); err != nil {
			return nil, nil, err
		}
		f, err := assemblyGPU(o, base, m)
		if err != nil {
			return nil, nil, err
		}
		mods, files = append(mods, m), append(files, f)
	}
	var fn unit.Call
	m := mods[0]
	if m.Body != nil {
		if fn, err = funcs.Call(gpuFolder, m.Name, m.Body.Fn); err != nil {
			return nil, nil, fmt.Errorf("gen: %s: %w", m.Name, err)
		}
	}
	texts, err = gpuTexts(o, base, mods, operatorOf(s), fn, funcs)
	if err != nil {
		return nil, nil, fmt.Errorf("gen: %s: %w", m.Name, err)
	}
	for i := range texts {
		texts[i].name = gpuFolder + "/" + texts[i].name
	}
	return files, texts, nil
}

// checkGPU refuses operands whose names the entry points use for something else.
func checkGPU(m *gemm.GPUModule) error {
	for _, s := range m.Slots {
		if slices.Contains(gpuNames, s.Name) {
			return fmt.Errorf("an operand is called %q, which the functions for a GPU use; choose another name", s.Name)
		}
	}
	return nil
}

// inlineGPU replaces the Go function in a module's kernels by its translation.
func (x *functions) inlineGPU(m *gemm.GPUModule) error {
	if m.Body == nil {
		return nil
	}
	p, err := x.program()
	if err != nil {
		return err
	}
	for _, k := range m.Kernels {
		if err := p.Inline(k.Func); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
	}
	return nil
}

// gpuFuncs are all functions of a module, joins first.
func gpuFuncs(m *gemm.GPUModule) []*emit.Func {
	fs := slices.Clone(m.Joins)
	for _, k := range m.Kernels {
		fs = append(fs, k.Func)
	}
	return fs
}

// ptxName is the file that the PTX of a target is in.
func ptxName(base string, t emit.Target) string {
	return base + "_" + strings.ReplaceAll(t.Name, "_", "") + ".ptx"
}

// assemblyGPU runs the passes of PTX over the kernels of a module and prints them.
func assemblyGPU(o Options, base string, m *gemm.GPUModule) (File, error) {
	fs := gpuFuncs(m)
	for _, f := range fs {
		if o.Dump != nil {
			f.Number()
			o.Dump(m.Target.Name, passLower, f)
		}
		if err := emit.Run(f, ptx.Backend{}.Passes(m.Target), func(pass string, f *emit.Func) {
			if o.Dump != nil {
				o.Dump(m.Target.Name, pass, f)
			}
		}); err != nil {
			return File{}, fmt.Errorf("gen: %w", err)
		}
	}
	var b bytes.Buffer
	if err := (ptx.Backend{}).Print(&b, m.Target, "// "+Header(o.Source)+"\n\n", fs); err != nil {
		return File{}, fmt.Errorf("gen: %w", err)
	}
	return File{gpuFolder + "/" + ptxName(base, m.Target), b.Bytes()}, nil
}
