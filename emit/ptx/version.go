package ptx

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// arch are the targets in order, with the first .version that accepts each and the
// most dynamic shared memory of a block. A name with an a has what the one without
// it has, and what no other target has. CUDA programming guide, "Compute Capabilities".
var arch = []struct {
	name   string
	ptx    version
	shared int // bytes
}{
	{"sm_80", version{7, 0}, 163 << 10},
	{"sm_86", version{7, 1}, 99 << 10},
	{"sm_89", version{7, 8}, 99 << 10},
	{"sm_90", version{7, 8}, 227 << 10},
	{"sm_90a", version{8, 0}, 227 << 10},
	{"sm_100", version{8, 6}, 227 << 10},
	{"sm_120", version{8, 7}, 99 << 10},
}

func archIndex(name string) int {
	for i, a := range arch {
		if a.name == name {
			return i
		}
	}
	return -1
}

// has reports whether target runs what needs another one.
func has(target, needs string) bool {
	n := archIndex(needs)
	return needs == "" || needs == target || n >= 0 && n <= archIndex(target) && !strings.HasSuffix(needs, "a")
}

// Since reports whether t runs what old, a target without a letter, runs.
func Since(t, old emit.Target) bool { return has(t.Name, old.Name) }

// version is a version of the PTX ISA.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) less(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// versions are the opcodes that need a later version than the targets that have
// them. begin is how the opcode begins, with what has to follow somewhere in the line.
// Found by giving ptxas 12.4 each with every version.
var versions = []struct {
	begin, with string
	needs       version
}{
	{"", "::cta", version{7, 8}},
	{"cp.async.", ".L2::", version{7, 4}},
	{"mbarrier.test_wait.parity", "", version{7, 1}},
	{"mbarrier.try_wait", "", version{7, 8}},
	{"mbarrier.arrive.expect_tx", "", version{8, 0}},
	{"stmatrix", "", version{7, 8}},
	{"movmatrix", "", version{7, 8}},
	{"mma.sp", "", version{7, 1}},
	{"mma.sp::ordered_metadata", "", version{8, 5}},
	{"mma.sync", ".e4m3", version{8, 4}},
	{"mma.sync", ".e5m2", version{8, 4}},
	{"cvt.rn.satfinite.e4m3x2", "", version{8, 1}},
	{"cvt.rn.satfinite.e5m2x2", "", version{8, 1}},
	{"cvt.rn.f16x2.e", "", version{8, 1}},
	{"cp.async.bulk", "", version{8, 0}},
	{"cp.reduce.async.bulk", "", version{8, 0}},
	{"tensormap.replace", "", version{8, 3}},
	{"fence.proxy.async", "", version{8, 0}},
	{"fence.mbarrier_init", "", version{8, 0}},
	{"elect.sync", "", version{8, 0}},
	{"barrier.cluster", "", version{8, 0}},
	{"mapa", "", version{7, 8}},
	{"griddepcontrol", "", version{7, 8}},
	{"st.async", "", version{8, 1}},
	{"red.async", "", version{8, 1}},
	{"red.global.", ".v", version{8, 1}},
	{"wgmma", "", version{8, 0}},
	{"wgmma.mma_async.sp", "", version{8, 2}},
	{"setmaxnreg", "", version{8, 0}},
}

// needs returns the version that one line of text needs, or zero.
func needs(line string) version {
	op, _, _ := strings.Cut(strings.TrimSpace(line), " //")
	if strings.HasPrefix(op, "@") {
		_, op, _ = strings.Cut(op, " ")
	}
	var most version
	for _, v := range versions {
		if strings.HasPrefix(op, v.begin) && strings.Contains(op, v.with) && most.less(v.needs) {
			most = v.needs
		}
	}
	return most
}
