package machine

import (
	"slices"
	"testing"
)

// recorded is what CPUID returned somewhere; leaves that are not there are zeros.
type recorded map[[2]uint32][4]uint32

func (r recorded) id(leaf, sub uint32) (a, b, c, d uint32) {
	x := r[[2]uint32{leaf, sub}]
	return x[0], x[1], x[2], x[3]
}

var (
	// The machine that the data of Zen 4 were measured on.
	genoa = recorded{
		{0, 0}:          {0x1c, 0x68747541, 0x444d4163, 0x69746e65},
		{1, 0}:          {0xa10f11, 0x1020800, 0xfffa3203, 0x178bfbff},
		{0x80000000, 0}: {0x80000021, 0x68747541, 0x444d4163, 0x69746e65},
		{0x80000001, 0}: {0xa10f11, 0x40000000, 0x4003f3, 0x2fd3fbff},
		{0x8000001d, 0}: {0x121, 0x1c0003f, 0x3f, 0x0},
		{0x8000001d, 1}: {0x122, 0x1c0003f, 0x3f, 0x0},
		{0x8000001d, 2}: {0x143, 0x1c0003f, 0x7ff, 0x2},
		{0x8000001d, 3}: {0x4163, 0x3c0003f, 0x7fff, 0x1},
	}
	// As Intel's SDM has it, with the sizes of an Emerald Rapids: leaves 0, 1 and 4.
	emerald = recorded{
		{0, 0}:          {0x20, 0x756e6547, 0x6c65746e, 0x49656e69},
		{1, 0}:          {0xc06f2, 0, 0, 0},
		{0x80000000, 0}: {0x80000008, 0, 0, 0},
		{4, 0}:          {0x4121, 11<<22 | 63, 63, 0},
		{4, 1}:          {0x4122, 7<<22 | 63, 63, 0},
		{4, 2}:          {0x4143, 15<<22 | 63, 2047, 0},
		{4, 3}:          {0x1fc163, 19<<22 | 63, 262143, 0},
	}
)

func TestCPUID(t *testing.T) {
	sig := func(vendor recorded, a uint32) recorded {
		return recorded{{0, 0}: vendor[[2]uint32{0, 0}], {1, 0}: {a}}
	}
	for _, c := range []struct {
		what   string
		r      recorded
		cpu    CPU
		caches []cache
	}{
		{"EPYC 9004", genoa, CPU{amd, 25, 17}, []cache{{1, 32 << 10, 8, 1}, {2, 1 << 20, 8, 1}, {3, 32 << 20, 16, 2}}},
		{"Emerald Rapids", emerald, CPU{intel, 6, 207}, []cache{{1, 48 << 10, 12, 2}, {2, 2 << 20, 16, 2}, {3, 320 << 20, 20, 128}}},
		{"EPYC 7002", sig(genoa, 0x830f10), CPU{amd, 0x17, 0x31}, nil},
		{"EPYC 7003", sig(genoa, 0xa00f11), CPU{amd, 0x19, 0x01}, nil},
		{"EPYC 9005", sig(genoa, 0xb00f21), CPU{amd, 0x1a, 0x02}, nil},
		{"Cascade Lake", sig(emerald, 0x50657), CPU{intel, 6, 0x55}, nil},
		{"Ice Lake-SP", sig(emerald, 0x606a6), CPU{intel, 6, 0x6a}, nil},
		{"Sapphire Rapids", sig(emerald, 0x806f8), CPU{intel, 6, 0x8f}, nil},
		{"a Pentium, whose extended model does not count", sig(emerald, 0xf0543), CPU{intel, 5, 4}, nil},
		{"none", recorded{}, CPU{}, nil},
		{"no leaf 4", recorded{{0, 0}: {2}, {4, 0}: {0x121, 0x1c0003f, 0x3f, 0}}, CPU{}, nil},
		{"a cache of 2^43 bytes is none", recorded{{0, 0}: {4}, {4, 0}: {0x121, 0xffc0003f, 0xffffffff, 0}}, CPU{}, nil},
		{"caches without end", recorded{{0, 0}: {4}, {4, 0}: {0x121, 0x1c0003f, 0x3f, 0}, {4, 1}: {0x121, 0x1c0003f, 0x3f, 0}}, CPU{},
			[]cache{{1, 32 << 10, 8, 1}, {1, 32 << 10, 8, 1}}},
	} {
		if got := leaves(c.r.id).cpu(); got != c.cpu {
			t.Errorf("%s: %v, want %v", c.what, got, c.cpu)
		}
		if got := leaves(c.r.id).caches(); !slices.Equal(got, c.caches) {
			t.Errorf("%s: caches %v, want %v", c.what, got, c.caches)
		}
	}
}

func TestCpuinfo(t *testing.T) {
	for _, c := range []struct {
		text string
		want CPU
	}{
		{"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\n\nprocessor\t: 1\nvendor_id\t: X\nmodel\t: 3\n", CPU{amd, 25, 17}},
		{"processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n\n", CPU{"0x41", 8, 0xd0c}},
		{"", CPU{}},
		{"no colon\nmodel : ninety\n", CPU{}},
	} {
		if got := cpuinfo(c.text); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestCPUString(t *testing.T) {
	if got, want := (CPU{amd, 25, 17}).String(), "AuthenticAMD family 25 model 17"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (CPU{}).String(), "an unknown processor"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
