package peer

import (
	"fmt"
)

// BLIS, https://github.com/flame/blis. A release older than the CPU takes it for "generic", which is C: 0.9.0 does so on Zen 5.
// Version ends with the choice, BLIS_ARCH_TYPE overrides it.
var BLIS = declare(Peer{
	Name: "blis",
	Libs: []string{
		debian() + "blis-pthread/libblis.so.4",
		debian() + "blis-openmp/libblis.so.4",
		debian() + "blis-serial/libblis.so.4",
		"libblis.so.4",
		"/opt/homebrew/opt/blis/lib/libblis.4.dylib",
		"/usr/local/opt/blis/lib/libblis.4.dylib",
	},
	Install: "libblis4-pthread (Debian, Ubuntu), blis (Fedora) or blis (Homebrew)",
	Open:    openBLIS,
})

// openBLIS: dim_t and gint_t are 64 bits wide in every 64-bit build; the integers of its cblas layer are a choice of their own.
func openBLIS(lib uintptr) (*Gemm, error) {
	var f struct {
		initLib   func() int32          `c:"bli_init"`
		version   func() string         `c:"bli_info_get_version_str"`
		blasInt   func() int64          `c:"bli_info_get_blas_int_type_size"`
		threading func() int64          `c:"bli_info_get_enable_threading"`
		set       func(n int64)         `c:"bli_thread_set_num_threads"`
		archID    func() int32          `c:"bli_arch_query_id"`
		archName  func(id int32) string `c:"bli_arch_string"`
	}
	err := bindAll(lib, &f)
	if err != nil {
		return nil, err
	}
	if bits := f.blasInt(); bits != 32 {
		return nil, fmt.Errorf("its cblas layer is built for %d-bit integers; want 32", bits)
	}
	g, err := CBLAS(lib)
	if err != nil {
		return nil, err
	}
	f.initLib() // without it, archID aborts the process when BLIS_ARCH_TYPE is set
	core := f.archName(f.archID())
	g.Version = fmt.Sprintf("BLIS %s %s", f.version(), core)
	number := func(arch string) string { // by name in later releases, by number in all that number it so
		for id := range int32(40) {
			if name := f.archName(id); name == arch {
				return fmt.Sprint(id)
			} else if name == "generic" { // the last one
				break
			}
		}
		return arch
	}
	g.ISA = isaOf(core)
	g.Note = setting{"BLIS_ARCH_TYPE", map[string]string{"avx512": number("skx"), "avx2": number("haswell"), "avx": number("sandybridge")}}.olderCore(core)
	if f.threading() != 0 {
		g.Threaded = true
		g.setPerCall(func(n int) { f.set(int64(n)) }) // per calling thread since BLIS 1.0, global before
	}
	return g, nil
}
