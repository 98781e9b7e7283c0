package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGPUProducts generates products for GPUs of each kind with the tiles that users
// get, and checks them as a user does. It does so in a module of its own, since their
// PTX is too long to be committed: of gen/examples/gpu that is.
func TestGPUProducts(t *testing.T) {
	s := newScratch(t, nil)
	if err := os.CopyFS(filepath.Join(s.dir, "products"), os.DirFS("testdata/gpu")); err != nil {
		t.Fatal(err)
	}
	if long() {
		s.env = append(s.env, "TILESMITH_LONG=1")
	}
	s.makes("products", "run", "spec.go")
	s.goes("vet", "./...")
	out := s.goes("test", "-v", "./products/gpu")
	for _, name := range []string{"MatMulBF16", "MatMulF16", "MatMulF32", "DenseGELU", "LongestPath", "Same"} {
		if !strings.Contains(out, "--- PASS: Test"+name+" ") {
			t.Errorf("Test%s did not run:\n%s", name, out)
		}
	}
}
