package gen_test

import (
	"strings"
	"testing"
)

// TestForeignTargets: instruction sets that add nothing for the types, which no stock package
// has tables for, give packages that compile, in fixed shapes too.
func TestForeignTargets(t *testing.T) {
	s := newScratch(t, nil)
	for name, flags := range map[string]string{
		"Floats": "--types f32,f32,f32,f32 --targets avx512vnni",
		"Widens": "--types f16,f16,f32,f32 --targets avx512bf16,avx2",
		"Counts": "--types i8,i8,i32,i32 --targets avx512bf16",
		"Small":  "--types f32,f32,f32,f32 --targets avx512vnni --shape 8,8,8",
	} {
		s.makes(".", append([]string{"gen", "gemm", "--name", name, "--package", "foreign", "--out", "foreign"}, strings.Fields(flags)...)...)
	}
	s.goes("vet", "./...")
}
