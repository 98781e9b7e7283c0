package peer

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// fakeCuBLAS compiles testdata/libcublas.c and opens it.
func fakeCuBLAS(t *testing.T) (c *CuBLAS, last func() string) {
	t.Helper()
	if _, err := dlopen("libc.so.6"); err != nil {
		t.Skipf("this build cannot load libraries: %v", err)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler to make a cuBLAS with")
	}
	file := filepath.Join(t.TempDir(), "libcublas.so.12")
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-Wall", "-Werror", "-o", file, "testdata/libcublas.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lib, err := dlopen(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Bind(lib, "fake_last", &last); err != nil {
		t.Fatal(err)
	}
	c = &CuBLAS{do: func(f func() error) error { return f() }}
	if err := c.open(lib, 0x5712ea); err != nil {
		t.Fatal(err)
	}
	return c, last
}

// TestCuBLAS: what cuBLAS is given for row-major products, all nineteen arguments.
func TestCuBLAS(t *testing.T) {
	c, last := fakeCuBLAS(t)
	if c.Version != "12.8.5" || !strings.HasSuffix(c.Path, "libcublas.so.12") {
		t.Errorf("version %s of %s", c.Version, c.Path)
	}
	const a, b, out = 0x1_0000_00a0, 0x2_0000_00b0, 0x3_0000_00c0
	for _, x := range []struct {
		t              dtype.Type
		transA, transB bool
		want           string
	}{
		{dtype.TypeBF16, false, false, "op 0 0, 3 x 2 x 5, alpha 1, a 0x2000000b0 type 14 ld 3, b 0x1000000a0 type 14 ld 5, beta 0, c 0x3000000c0 type 14 ld 3, compute 68, algo -1"},
		{dtype.TypeF16, true, false, "op 0 1, 3 x 2 x 5, alpha 1, a 0x2000000b0 type 2 ld 3, b 0x1000000a0 type 2 ld 2, beta 0, c 0x3000000c0 type 2 ld 3, compute 68, algo -1"},
		{dtype.F32, false, true, "op 1 0, 3 x 2 x 5, alpha 1, a 0x2000000b0 type 0 ld 5, b 0x1000000a0 type 0 ld 5, beta 0, c 0x3000000c0 type 0 ld 3, compute 68, algo -1"},
	} {
		if err := c.Gemm(x.t, x.transA, x.transB, 2, 3, 5, a, b, out); err != nil {
			t.Fatal(err)
		}
		if have := last(); have != x.want {
			t.Errorf("%v, transA=%v, transB=%v:\n%s\nwant\n%s", x.t, x.transA, x.transB, have, x.want)
		}
	}
	for want, err := range map[string]error{
		"15 (not supported)": c.Gemm(dtype.F32, false, false, 2, 999, 5, a, b, out),
		"a size is 0":        c.Gemm(dtype.F32, false, false, 2, 0, 5, a, b, out),
		"products of f64":    c.Gemm(dtype.F64, false, false, 2, 3, 5, a, b, out),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	wrong := &CuBLAS{do: c.do}
	lib, _ := dlopen(c.Path)
	if err := wrong.open(lib, 1); err == nil || !strings.Contains(err.Error(), "cublasSetStream: status 7") {
		t.Errorf("another stream: %v", err)
	}
}
