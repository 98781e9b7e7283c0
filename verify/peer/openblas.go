package peer

import (
	"errors"
	"strings"
)

// OpenBLAS, https://www.openblas.net. A release older than the CPU takes it for an older one: 0.3.21 takes Zen 5 for Haswell.
// Version names the choice, OPENBLAS_CORETYPE overrides it.
var OpenBLAS = declare(Peer{
	Name: "openblas",
	Libs: []string{
		debian() + "openblas-pthread/libopenblas.so.0",
		"libopenblasp.so.0", // Fedora's name for its pthread build
		debian() + "openblas-openmp/libopenblas.so.0",
		debian() + "openblas-serial/libopenblas.so.0",
		"libopenblas.so.0",
		"/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
		"/usr/local/opt/openblas/lib/libopenblas.dylib",
	},
	Install: "libopenblas0-pthread (Debian, Ubuntu), openblas-threads (Fedora) or openblas (Homebrew)",
	Open:    openOpenBLAS,
})

func openOpenBLAS(lib uintptr) (*Gemm, error) {
	var f struct {
		config   func() string `c:"openblas_get_config"`
		coreName func() string `c:"openblas_get_corename"`
		parallel func() int32  `c:"openblas_get_parallel"`
		set      func(n int32) `c:"openblas_set_num_threads"`
	}
	err := bindAll(lib, &f)
	if err != nil {
		return nil, err
	}
	version := strings.TrimSpace(f.config())
	if strings.Contains(version, "USE64BITINT") {
		return nil, errors.New("built for 64-bit integers (" + version + "); want the build for 32-bit integers")
	}
	g, err := CBLAS(lib)
	if err != nil {
		return nil, err
	}
	g.Version = version
	core := f.coreName()
	g.ISA, g.Note = isaOf(core), setting{"OPENBLAS_CORETYPE", map[string]string{"avx512": "SkylakeX", "avx2": "Haswell", "avx": "Sandybridge"}}.olderCore(core)
	const serial, pthread, openmp = 0, 1, 2 // what openblas_get_parallel returns
	switch g.Threaded = f.parallel() != serial; f.parallel() {
	case openmp: // OpenMP keeps the number per calling thread
		g.setPerCall(func(n int) { f.set(int32(n)) })
	case pthread:
		g.SetThreads = func(n int) { f.set(int32(threads(n))) }
	}
	return g, nil
}
