package gen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// checkName refuses what is not a Go identifier of ASCII letters and digits, what
// the generated files use themselves, and what would, as part of a file name, be
// read as a build constraint.
func checkName(name string) error {
	if !token.IsIdentifier(name) || name == "_" {
		return fmt.Errorf("gen: spec name %q is not a Go identifier; a function is named after it, as in DenseGELU", name)
	}
	for _, r := range name {
		if r > 127 {
			return fmt.Errorf("gen: spec name %q has the letter %q; file names are made of it, use ASCII", name, r)
		}
	}
	if strings.Contains(name, "_") {
		return fmt.Errorf("gen: spec name %q has an underscore; what follows one in a file name can be a build constraint", name)
	}
	if slices.Contains(taken, name) {
		return fmt.Errorf("gen: spec name %q means something else in generated files; choose another, as in %q", name, upperFirst(name)+"Product")
	}
	if i := strings.LastIndexByte(Snake(name), '_'); i >= 0 {
		if word := Snake(name)[i+1:]; slices.Contains(constraints, word) {
			return fmt.Errorf("gen: spec %q would be written to %s.go, which go build takes for a file for %s only; let the name end in another word",
				name, Snake(name), word)
		}
	}
	return nil
}

// taken are the names that generated files import or use.
var taken = []string{"init", "main", "run", "dense", "spblas", "layout", "sparse", "dtype", "semiring", "testing", "check", "slices", "cuda", "gpu", "driver", "float32", "float64", "string", "int",
	"gemmf32", "gemmf64", "spmmf32", "spmmf64", "sddmmf32", "sddmmf64"}

// constraints are the words that are build constraints at the end of a file name:
// the systems and architectures of go/build, past, present and reserved, and test.
var constraints = strings.Fields(`test
aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos
386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 mips64le mips64p32 mips64p32le mipsle
ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)

// declared are the identifiers that the files of a spec bring into the package.
func declared(s Spec) []string {
	name := s.Kernel()
	switch s := s.(type) {
	case Functions:
		return []string{name}
	case Family:
		names := []string{name}
		for _, t := range s.Targets {
			names = append(names, s.table(t))
		}
		return names
	case described:
		n := lowerFirst(name)
		return []string{name, name + "Opt", n + "Product", n + "Epilogue", n + "Epis", n + "Variants"}
	}
	n := lowerFirst(name)
	if t, ok := s.(targeted); ok && slices.ContainsFunc(t.TargetList(), isGPU) {
		return []string{name, name + "Opt", name + "Pack", name + "Batched", name + "Kernels", n + "Set", n + "Fused", n + "Epilogue", n + "Variants"}
	}
	return append([]string{name, name + "Opt", name + "Pack", name + "Ref", n + "Small", n + "Run", n + "Set", n + "Fused", n + "Epilogue", n + "Variants", n + "Case", n + "Sums"}, declaredFixed(s, name)...)
}

// Snake turns DenseGELU into dense_gelu: how files are named.
func Snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	upper := func(i int) bool { return rs[i] >= 'A' && rs[i] <= 'Z' }
	for i, r := range rs {
		if i > 0 && upper(i) && (!upper(i-1) || i+1 < len(rs) && !upper(i+1) && (rs[i+1] < '0' || rs[i+1] > '9')) {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// upperFirst takes "", too, which is what a function literal is called.
func upperFirst(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
