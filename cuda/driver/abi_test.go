package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

// TestConstants repeats cuda.h, for the constants cannot be checked against it here.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"CU_DEVICE_ATTRIBUTE_CLOCK_RATE", attrClockKHz, 13},
		{"CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT", attrSMs, 16},
		{"CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE", attrL2, 38},
		{"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", attrMajor, 75},
		{"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR", attrMinor, 76},
		{"CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR", attrRegistersPerSM, 82},
		{"CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", attrSharedPerBlock, 97},
		{"CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK", funcMaxThreads, 0},
		{"CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES", funcShared, 1},
		{"CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES", funcLocal, 3},
		{"CU_FUNC_ATTRIBUTE_NUM_REGS", funcRegisters, 4},
		{"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", funcMaxDynamicShared, 8},
		{"CU_JIT_INFO_LOG_BUFFER", jitInfoLog, 3},
		{"CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES", jitInfoLogSize, 4},
		{"CU_JIT_ERROR_LOG_BUFFER", jitErrLog, 5},
		{"CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES", jitErrLogSize, 6},
		{"CU_JIT_LOG_VERBOSE", jitVerbose, 12},
		{"CU_LAUNCH_PARAM_END", extraEnd, 0},
		{"CU_LAUNCH_PARAM_BUFFER_POINTER", extraPointer, 1},
		{"CU_LAUNCH_PARAM_BUFFER_SIZE", extraSize, 2},
		{"CU_STREAM_NON_BLOCKING", streamNonBlocking, 1},
		{"CU_EVENT_DISABLE_TIMING", eventDisableTiming, 2},
		{"CUDA_ERROR_OUT_OF_MEMORY", errOutOfMemory, 2},
		{"CUDA_ERROR_NO_DEVICE", errNoDevice, 100},
		{"CUDA_ERROR_NOT_FOUND", errNotFound, 500},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
}

// TestLayout: what the driver reads from our memory. On the 64-bit machines that
// have drivers a pointer and a size_t are 8 bytes and a CUjit_option 4.
func TestLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("no driver is for this machine")
	}
	var l launch
	var j jit
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"extra", unsafe.Sizeof(l.extra), 5 * 8},
		{"an element of extra", unsafe.Sizeof(l.extra[0]), 8},
		{"the size of the parameters", unsafe.Sizeof(l.size), 8},
		{"alignment of the parameters", unsafe.Offsetof(l.block) % 8, 0},
		{"a CUjit_option", unsafe.Sizeof(j.options[0]), 4},
		{"a value of an option", unsafe.Sizeof(j.values[0]), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, c.got, c.want)
		}
	}
}

// TestNames: every function has its symbol, and those with 64-bit sizes their suffix.
func TestNames(t *testing.T) {
	suffix := "cuDeviceTotalMem cuDevicePrimaryCtxRelease cuMemAlloc cuMemFree cuMemGetInfo cuMemAllocHost cuMemcpyHtoDAsync cuMemcpyDtoHAsync cuMemcpyDtoDAsync cuStreamDestroy cuEventDestroy"
	seen := map[string]bool{}
	for e, name := range names {
		base, v2 := strings.CutSuffix(name, "_v2")
		if name == "" || seen[name] {
			t.Errorf("entry %d is called %q, which is nothing, or another's name", e, name)
		}
		seen[name] = true
		want := false
		for _, s := range strings.Fields(suffix) {
			want = want || s == base
		}
		if v2 != want {
			t.Errorf("%s: suffix _v2 %v, want %v", name, v2, want)
		}
	}
}

func TestCheckPTX(t *testing.T) {
	for _, c := range []struct {
		driver       int
		major, minor int
		want         string
	}{
		{11000, 7, 0, ""},
		{11000, 7, 1, "install r455 (CUDA 11.1)"},
		{11041, 7, 4, ""}, // updates of a release count in the last digit
		{11070, 7, 8, "(r515), reads up to 7.7; install r520 (CUDA 11.8)"},
		{12040, 8, 4, ""},
		{12040, 8, 5, "CUDA 12.4 (r550), reads up to 8.4; install r555 (CUDA 12.5)"},
		{12060, 8, 5, ""},
		{12060, 8, 6, "install r565"},
		{13010, 9, 1, ""},
		{13010, 9, 2, "install the newest"},
		{13020, 9, 9, ""}, // newer than the table
		{9000, 7, 0, ""},  // is refused before
	} {
		err := checkPTX(c.driver, cuda.PTXVersion{Major: c.major, Minor: c.minor})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("driver %d, PTX %d.%d: %v, want %q", c.driver, c.major, c.minor, err, c.want)
		}
	}
	for i, row := range newestPTX[1:] {
		if before := newestPTX[i]; before.cuda >= row.cuda || row.ptx.Less(before.ptx) {
			t.Errorf("%+v stands before %+v", before, row)
		}
	}
}

func TestAdvisories(t *testing.T) {
	log := "ptxas info    : 0 bytes gmem\nptxas info    : (C7508) setmaxnreg ignored\nptxas info : Used 168 registers, C75 bytes\n" +
		"ptxas info    : (C7510) Potential Performance Loss: line 3\n"
	want := "ptxas info    : (C7508) setmaxnreg ignored\nptxas info    : (C7510) Potential Performance Loss: line 3"
	if got := advisories(log); got != want {
		t.Errorf("advisories:\n%s\nwant\n%s", got, want)
	}
	if got, want := quote("error, line 2\n\nline 9; line 1", "a\n  b;\nc"), "\n\terror, line 2\n\t\t2: b;\n\tline 9; line 1"; got != want {
		t.Errorf("quote: %q, want %q", got, want)
	}
}
