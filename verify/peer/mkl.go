package peer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"
)

// MKL, Intel's Math Kernel Library, on amd64. Its one entry, libmkl_rt, loads the rest from the folder it is in. The PyPI wheel
// "mkl" puts that folder at <prefix>/lib.
var MKL = declare(Peer{
	Name: "mkl",
	Libs: []string{
		"$VIRTUAL_ENV/lib/libmkl_rt.so.3",
		"$VIRTUAL_ENV/lib/libmkl_rt.so.2",
		"$CONDA_PREFIX/lib/libmkl_rt.so.3",
		"$CONDA_PREFIX/lib/libmkl_rt.so.2",
		"$MKLROOT/lib/libmkl_rt.so.3",
		"$MKLROOT/lib/libmkl_rt.so.2",
		"/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.3",
		"/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.2",
		"libmkl_rt.so.3",
		"libmkl_rt.so.2",
	},
	Install: "the wheel mkl (pip install mkl) or intel-oneapi-mkl (Intel's apt repository)",
	Open:    openMKL,
})

func openMKL(lib uintptr) (*Gemm, error) {
	var f struct {
		version      func(buf *byte, size int32) `c:"MKL_Get_Version_String"`
		parts        func(v *mklVersion)         `c:"MKL_Get_Version"`
		setInterface func(layer int32) int32     `c:"MKL_Set_Interface_Layer"`
		setThreading func(layer int32) int32     `c:"MKL_Set_Threading_Layer"`
		set          func(n int32)               `c:"MKL_Set_Num_Threads"`
	}
	err := bindAll(lib, &f)
	if err != nil {
		return nil, err
	}
	g, err := CBLAS(lib)
	if err != nil {
		return nil, err
	}

	g.narrow = narrowMKL(lib)

	// The layers are chosen before the first call that loads them. A missing one ends the process and gives no
	// error.
	const lp64 = 0 // MKL_INTERFACE_LP64: 32-bit integers
	if got := f.setInterface(lp64); got != lp64 {
		return nil, fmt.Errorf("its interface layer is %d already; want LP64, which is %d", got, lp64)
	}
	layer := os.Getenv("MKL_THREADING_LAYER")
	if layer == "" {
		var code int32
		layer, code = mklThreading(filepath.Dir(g.Path))
		f.setThreading(code)
	} else if layer == "SEQUENTIAL" {
		f.setThreading(1) // what Go has set is not always what C reads
	}

	buf := make([]byte, 256)
	f.version(&buf[0], int32(len(buf)))
	text, _, _ := bytes.Cut(buf, []byte{0})
	g.Version = fmt.Sprintf("%s, threading layer %s", bytes.TrimSpace(text), layer)
	var v mklVersion
	f.parts(&v)
	g.ISA, g.Note = mklChoice(goString(v.processor))
	if layer != "SEQUENTIAL" {
		g.Threaded = true
		g.SetThreads = func(n int) { f.set(int32(threads(n))) }
	}
	return g, nil
}

// mklVersion is MKLVersion; processor names what its kernels were chosen for.
type mklVersion struct {
	major, minor, update               int32
	status, build, processor, platform *byte
}

// mklChoice reads what MKL says of its choice. For a CPU that is not Intel's it names no instruction set, and
// has no setting.
func mklChoice(processor string) (isa, note string) {
	for _, of := range []struct{ word, isa string }{{"AVX-512", "avx512"}, {"AVX512", "avx512"}, {"AVX10", "avx512"}, {"AVX2", "avx2"}, {"AVX)", "avx"}, {"SSE", "sse4.2"}} {
		if strings.Contains(processor, of.word) {
			isa = of.isa
			break
		}
	}
	want := best()
	switch {
	case want == "" || slices.Index(levels, isa) >= slices.Index(levels, want):
		return isa, ""
	case isa == "":
		return "", fmt.Sprintf("it says that it runs code for %q, which it takes for CPUs of others and which names no instruction set; it has no setting for another", processor)
	case os.Getenv("MKL_ENABLE_INSTRUCTIONS") != "":
		return isa, fmt.Sprintf("it runs %s code, where there is %s, since MKL_ENABLE_INSTRUCTIONS=%s", isa, want, os.Getenv("MKL_ENABLE_INSTRUCTIONS"))
	}
	return isa, fmt.Sprintf("it says that it runs code for %q, where there is %s; it has no setting for another", processor, want)
}

// goString copies a C string.
func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// mklThreading picks the threading layer that is in dir and whose OpenMP loads here, by its name in MKL_THREADING_LAYER and its
// MKL_THREADING_ code. Once loaded, MKL finds the OpenMP library by its soname.
func mklThreading(dir string) (string, int32) {
	has := func(layer string) bool {
		files, err := filepath.Glob(filepath.Join(dir, "libmkl_"+layer+"_thread.*"))
		return err == nil && len(files) > 0
	}
	if has("intel") {
		for _, file := range []string{filepath.Join(dir, "libiomp5.so"), "libiomp5.so"} {
			if _, err := dlopen(file); err == nil {
				return "INTEL", 0
			}
		}
	}
	if has("gnu") {
		if _, err := dlopen("libgomp.so.1"); err == nil {
			return "GNU", 3
		}
	}
	return "SEQUENTIAL", 1
}
