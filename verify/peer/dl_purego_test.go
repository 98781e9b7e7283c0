//go:build linux && !android && (amd64 || arm64) && !nodl

package peer

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
)

// A library calls its own functions, whatever others of the same name were opened for
// everybody before.
func TestOwnSymbols(t *testing.T) {
	if _, err := purego.Dlopen(compileC(t, "other.so", "int peer_test_gemm_(void) { return 1; }"), purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
		t.Fatal(err)
	}
	lib, err := dlopen(compileC(t, "own.so", "int peer_test_gemm_(void) { return 2; } int peer_test_cblas(void) { return peer_test_gemm_(); }"))
	if err != nil {
		t.Fatal(err)
	}
	var call func() int32
	if err := Bind(lib, "peer_test_cblas", &call); err != nil {
		t.Fatal(err)
	}
	if got := call(); got != 2 {
		t.Errorf("the library's own function returns 2, and %d was called", got)
	}
}

// compileC returns a library made of source.
func compileC(t *testing.T, name, source string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-o", file, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// A loop makes all of its calls: the library that they go to counts them.
func TestRepeatCount(t *testing.T) {
	l, err := OpenLoop()
	if err != nil {
		t.Skip(err)
	}
	file := compileC(t, "counting.so", `
		static int calls;
		void cblas_sgemm(void) { calls++; }
		void cblas_dgemm(void) { calls += 1000; }
		int peer_test_calls(void) { return calls; }`)
	var calls func() int32
	g, err := Peer{Name: "counting", Libs: []string{file}, Open: func(lib uintptr) (*Gemm, error) {
		if err := Bind(lib, "peer_test_calls", &calls); err != nil {
			return nil, err
		}
		return CBLAS(lib)
	}}.Load()
	if err != nil {
		t.Fatal(err)
	}
	f32, err := Repeat(l, g, false, false, 3, 1, 1, 1, operand[float32](1, 1), operand[float32](1, 1), operand[float32](1, 1))
	if err != nil {
		t.Fatal(err)
	}
	f64, err := Repeat(l, g, false, false, 1, 1, 1, 1, operand[float64](1, 1), operand[float64](1, 1), operand[float64](1, 1))
	if err != nil {
		t.Fatal(err)
	}
	f32(7)
	f64(5)
	if got := calls(); got != 5021 {
		t.Errorf("7 times 3 products of f32 and 5 of f64 make %d calls, want 5021", got)
	}
}

// bindAll binds each field that has a name, and tells those that the library lacks.
func TestBindAll(t *testing.T) {
	lib, err := dlopen(compileC(t, "all.so", "int peer_test_one(void) { return 1; } int peer_test_two(void) { return 2; }"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		lib  int
		one  func() int32 `c:"peer_test_one"`
		two  func() int32 `c:"peer_test_two"`
		none func() int32
	}
	if err := bindAll(lib, &f); err != nil {
		t.Fatal(err)
	}
	if one, two := f.one(), f.two(); one != 1 || two != 2 || f.none != nil || f.lib != 0 {
		t.Fatalf("bound functions give %d and %d; fields without a name: %v, %d", one, two, f.none != nil, f.lib)
	}
	var lacking struct {
		two   func() int32 `c:"peer_test_two"`
		three func() int32 `c:"peer_test_three"`
		four  func() int32 `c:"peer_test_four"`
	}
	err = bindAll(lib, &lacking)
	if err == nil || !strings.Contains(err.Error(), "peer_test_three") || !strings.Contains(err.Error(), "peer_test_four") {
		t.Fatalf("a library without two of the functions: %v", err)
	}
}
