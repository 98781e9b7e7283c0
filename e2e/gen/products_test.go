package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProducts generates packages and checks them as a user does: products for GPUs of
// each kind with the tiles that users get, and products in other arithmetics. It does so
// in a module of its own, since their kernels are too long to be committed.
func TestProducts(t *testing.T) {
	if !long() {
		t.Skip("TILESMITH_LONG=1 generates, builds and runs products for GPUs and of semirings")
	}
	s := generates(t, map[string]string{"products": "testdata/gpu", "paths": "testdata/paths"}, "products", "paths")
	s.passes([]string{"products/gpu", "paths"}, "TestMatMulBF16", "TestMatMulF16", "TestMatMulF32", "TestDenseGELU", "TestLongestPath", "TestExperts", "TestExpertsGrouped", "TestSame",
		"TestShortest", "ExampleShortest", "TestReachable", "TestRelax", "TestSpecialRows", "TestRefused", "ExampleRelax")
	// More shapes take an emulated GPU minutes a kernel, and small tiles of each kind of kernel
	// have them, in verify/gpu.
	s.env = append(s.env, "TILESMITH_LONG=1")
	s.goes("test", "./paths")
}

// TestCurves does so with epilogues and sums of mathematical functions: sines, powers, arcs,
// remainders.
func TestCurves(t *testing.T) {
	if !long() {
		t.Skip("TILESMITH_LONG=1 generates, builds and runs products of mathematical functions")
	}
	s := generates(t, map[string]string{"curves": "testdata/curves"}, "curves")
	s.env = append(s.env, "TILESMITH_LONG=1")
	s.passes([]string{"curves", "curves/gpu"}, "TestRotary", "TestHue", "TestTone", "TestArcs", "TestLines", "TestNorms")
}

// TestThirdParty does the same with a type of spec that is not ours.
func TestThirdParty(t *testing.T) {
	s := generates(t, map[string]string{"thirdparty": "testdata/thirdparty"}, "thirdparty/soft")
	s.passes([]string{"thirdparty/soft"}, "TestSoftsign", "TestSoftsign/isa=go")
}

// generates makes a module of folders of testdata, runs the specs in some of its folders, and
// vets all.
func generates(t *testing.T, folders map[string]string, specs ...string) *scratch {
	t.Helper()
	s := newScratch(t, nil)
	for name, from := range folders {
		if err := os.CopyFS(filepath.Join(s.dir, name), os.DirFS(filepath.Join(root(t), "gen", from))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range specs {
		s.makes(name, "run", "spec.go")
	}
	s.goes("vet", "./...")
	return s
}

// passes wants the tests of packages to pass, and those that are named to be among them.
func (s *scratch) passes(packages []string, tests ...string) {
	s.t.Helper()
	args := []string{"test", "-v"}
	for _, name := range packages {
		args = append(args, "./"+name)
	}
	out := s.goes(args...)
	for _, name := range tests {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			s.t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}
