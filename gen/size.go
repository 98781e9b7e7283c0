package gen

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// An assemblySize is how much of it a spec has of its own for one target.
type assemblySize struct {
	target         emit.Target
	kernels, bytes int
}

// sizesOf are those of the one of specs that is called name, in the order of its targets. files are what was
// generated of specs.
func sizesOf(files []File, name string, specs []Spec) ([]assemblySize, error) {
	targets, err := TargetsOf(specs[slices.IndexFunc(specs, func(s Spec) bool { return s.Kernel() == name })])
	if err != nil {
		return nil, err
	}
	sizes := make([]assemblySize, len(targets))
	for i, t := range targets {
		sizes[i].target = t
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".s") {
			continue
		}
		for _, text := range strings.Split(string(f.Data), "\nTEXT ·")[1:] {
			f, _, _ := strings.Cut(text, "(SB)")
			if kernelOf(f, specs) != name {
				continue
			}
			i := slices.IndexFunc(targets, func(t emit.Target) bool {
				return strings.HasPrefix(f, unit.Lower(name)+"_"+t.Name+"_")
			})
			if i >= 0 {
				sizes[i].kernels++
				sizes[i].bytes += len("\nTEXT ·") + len(text)
			}
		}
	}
	return slices.DeleteFunc(sizes, func(z assemblySize) bool { return z.kernels == 0 }), nil
}

// kernelOf is the name of the spec that a function called name is of, "" if all share it.
func kernelOf(name string, specs []Spec) (best string) {
	for _, s := range specs {
		if k := s.Kernel(); strings.HasPrefix(name, unit.Lower(k)+"_") && len(k) > len(best) {
			best = k
		}
	}
	return best
}

func kilobytes(bytes int) string { return fmt.Sprintf("%.0f KB", float64(bytes)/1000) }

// sizeText is a line of a summary: "351 KB of assembly: avx512 109 KB in 10 kernels, avx2 62 KB in 7". It is
// empty for a spec that has no kernels of its own.
func sizeText(sizes []assemblySize) string {
	var each []string
	sum := 0
	for i, z := range sizes {
		sum += z.bytes
		text := fmt.Sprintf("%s %s in %d", z.target.Name, kilobytes(z.bytes), z.kernels)
		if i == 0 {
			text += " kernels"
		}
		each = append(each, text)
	}
	if sum == 0 {
		return ""
	}
	return kilobytes(sum) + " of assembly: " + strings.Join(each, ", ")
}

// muchAssembly is how many bytes of it for one architecture are worth a warning, if a Go function makes them.
const muchAssembly = 500_000

// warnings say which specs of a file have much assembly because a step of their semiring is long, which stands in
// kernels once for each sum.
func warnings(w io.Writer, file string, funcs *functions, files []File, specs []Spec) error {
	for _, s := range specs {
		r, ok := semiringOf(s)
		if !ok || !r.Translates() {
			continue
		}
		sizes, err := sizesOf(files, s.Kernel(), specs)
		if err != nil {
			return err
		}
		arch := map[string]int{}
		for _, z := range sizes {
			arch[z.target.Arch] += z.bytes
		}
		step, err := simd.StepOf(r, funcs.Inline)
		if err != nil {
			return err
		}
		for _, z := range sizes {
			bytes := arch[z.target.Arch]
			if arch[z.target.Arch] = 0; bytes <= muchAssembly || !step.Large() {
				continue
			}
			n, err := funcs.instructions(step, r, z.target)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "tilesmith: %s: warning: %s has %s of assembly for %s, because a step of the semiring %s is %d instructions of %s and stands in its kernels for each sum of a tile; "+
				"write a shorter Plus or Times, name a smaller Tile, or list fewer Targets\n", file, s.Kernel(), kilobytes(bytes), z.target.Arch, r.Name, n, z.target.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// semiringOf is the semiring that a spec sums with; ok is false for ordinary sums and other operators.
func semiringOf(s Spec) (r gemm.Semiring, ok bool) {
	switch s := s.(type) {
	case interface{ Describe() gemm.Description }:
		r, ok = s.Describe().Operator.(gemm.Semiring)
	case interface{ Describe() spec.Description }:
		if p, is := s.Describe().Reduce.(interface{ Parts() semiring.Parts }); is {
			r, ok = gemm.OverParts(p.Parts()).(gemm.Semiring)
		}
	}
	return r, ok
}

// instructions is how many a step of a semiring has on a target.
func (x *functions) instructions(step simd.Step, r gemm.Semiring, t emit.Target) (int, error) {
	e, _, _ := r.Types()
	wide, err := simd.Computed(e, r, x.Widest)
	if err != nil {
		return 0, err
	}
	f, err := step.Kernel(t.Lanes(wide))
	if err != nil {
		return 0, err
	}
	if err := x.Inline(f); err != nil {
		return 0, err
	}
	f.Spills = true
	text, err := assembly(Options{Source: x.source}, t, unit.Kernels("", f))
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			n++
		}
	}
	return n, nil
}
