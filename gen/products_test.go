package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProducts generates packages and checks them as a user does: products for GPUs of
// each kind with the tiles that users get, products in other arithmetics, and what a
// type of spec makes that is not ours. It does so in a module of its own, since their
// kernels are too long to be committed.
func TestProducts(t *testing.T) {
	s := newScratch(t, nil)
	for name, from := range map[string]string{"products": "testdata/gpu", "paths": "testdata/paths", "thirdparty": "testdata/thirdparty"} {
		if err := os.CopyFS(filepath.Join(s.dir, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"products", "paths", "thirdparty/soft"} {
		s.makes(name, "run", "spec.go")
	}
	if long() {
		s.env = append(s.env, "TILESMITH_LONG=1")
	}
	s.goes("vet", "./...")
	out := s.goes("test", "-v", "./products/gpu", "./paths", "./thirdparty/soft")
	for _, name := range []string{
		"TestMatMulBF16", "TestMatMulF16", "TestMatMulF32", "TestDenseGELU", "TestLongestPath", "TestSame",
		"TestShortest", "ExampleShortest", "TestReachable", "TestRelax", "TestSpecialRows", "TestRefused", "ExampleRelax",
		"TestSoftsign", "TestSoftsign/isa=go",
	} {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}
