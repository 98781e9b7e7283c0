package emu

import (
	"strings"
	"testing"
)

// specialKernel is a kernel that stores four words of each thread, which body has in %r1 to %r4.
func specialKernel(body string) string {
	s := strings.Replace(kernel(1, body+`
shl.b32 %r90, %r0, 4;
cvt.u64.u32 %rd20, %r90;
add.u64 %rd20, %rd20, %rd0;
st.global.v4.u32 [%rd20], {%r1, %r2, %r3, %r4};`), ".version 8.0\n.target sm_80", ".version 8.8\n.target sm_90", 1)
	return s
}

// TestSpecialRegisters: what they hold.
func TestSpecialRegisters(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []uint32 // of thread 1
	}{
		{"ids", "mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %nwarpid; mov.u32 %r4, %tid.w;", []uint32{1, 0, 2, 0}},
		{"vector", "mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid;", []uint32{64, 1, 1, 0}},
		{"16 bits", "mov.u16 %h1, %tid.x; cvt.u32.u16 %r1, %h1; cvt.u32.u16 %r2, %ntid.x; mov.b16 %h2, %tid.y; cvt.u32.u16 %r3, %h2; mov.u32 %r4, 0;", []uint32{1, 64, 0, 0}},
		{"grid", "mov.u32 %r1, %gridid; mov.u64 %rd1, %gridid; cvt.u32.u64 %r2, %rd1; sub.u32 %r1, %r1, %r2; mov.u64 %rd2, %current_graph_exec; mov.b64 {%r2, %r3}, %rd2; mov.u32 %r4, %clusterid.x;", []uint32{0, 0, 0, 0}},
		{"shared", "mov.u32 %r1, %total_smem_size; mov.u32 %r2, %aggr_smem_size; mov.u32 %r3, %dynamic_smem_size; mov.u32 %r4, smem;", []uint32{384, 1408, 300, 1024}},
		{"reserved", "mov.b32 %r1, %reserved_smem_offset_begin; mov.b32 %r2, %reserved_smem_offset_cap; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank;", []uint32{0, 1024, 0, 1}},
		{"cluster", "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; mov.u32 %r2, %nclusterid.x; mov.u32 %r3, %cluster_ctaid.x; mov.u32 %r4, %cluster_nctaid.y;", []uint32{0, 1, 0, 1}},
		// The timer goes on with instructions and with sleep, and its halves are those of all.
		{"timer", "mov.u64 %rd1, %globaltimer; nanosleep.u32 5000; mov.u64 %rd2, %globaltimer; sub.u64 %rd3, %rd2, %rd1; setp.gt.u64 %p1, %rd3, 5000; setp.lt.u64 %p2, %rd3, 6000; and.pred %p1, %p1, %p2; selp.u32 %r1, 1, 0, %p1;" +
			"mov.u32 %r5, %globaltimer_hi; mov.b64 {%r6, %r7}, %rd2; sub.u32 %r2, %r5, %r7; mov.u32 %r5, %globaltimer_lo; sub.u32 %r5, %r5, %r6; setp.lt.u32 %p1, %r5, 1000; selp.u32 %r3, 1, 0, %p1; mov.u32 %r4, 0;", []uint32{1, 0, 1, 0}},
		// A wait as of cuda::barrier: until a time, or until the barrier is there.
		{"wait", "mov.u64 %rd1, %globaltimer;\nW: mov.u64 %rd2, %globaltimer; sub.u64 %rd3, %rd2, %rd1; setp.lt.u64 %p1, %rd3, 2000; @%p1 bra W; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4;", []uint32{1, 2, 3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Options{})
			m := r.alloc(make([]byte, 64*16))
			if err := r.launch(specialKernel(c.body), "k", grid(1, 64, 300), m); err != nil {
				t.Fatal(err)
			}
			for i, got := range toWords(r.read(m))[4:8] {
				if got != c.want[i] {
					t.Errorf("word %d is %d, want %d", i, got, c.want[i])
				}
			}
			if ptxas := assembler(); ptxas != "" {
				if ok, says := assembled(t, ptxas, "sm_90", specialKernel(c.body)); !ok {
					t.Error(says)
				}
			}
		})
	}
	explicit := strings.Replace(specialKernel("mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;"), ") {", ") .reqnctapercluster 1, 1, 1 {", 1)
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 64*16))
	if err := r.launch(explicit, "k", grid(1, 64, 0), m); err != nil {
		t.Fatal(err)
	}
	if got := toWords(r.read(m))[0]; got != 1 {
		t.Errorf("an explicit cluster of one: %d, want 1", got)
	}
}

// TestRefusedRegisters: a special register that is not there is refused by its name, with why.
func TestRefusedRegisters(t *testing.T) {
	for body, want := range map[string]string{
		"mov.b32 %r1, %envreg0;":                   "the emulator does not have %envreg0: it holds what the driver keeps of a launch",
		"mov.u32 %r1, %envreg2;":                   "%envreg2: it holds",
		"mov.u32 %r1, %envreg31;":                  "%envreg31: it holds",
		"mov.u32 %r1, %envreg32;":                  "%envreg32 is not declared",
		"mov.u32 %r1, %pm0;":                       "the emulator does not have %pm0: it counts what a profiler chose",
		"mov.u64 %rd1, %pm7_64;":                   "%pm7_64: it counts",
		"mov.u32 %r1, %pm8;":                       "%pm8 is not declared",
		"mov.u32 %r1, %pm;":                        "%pm is not declared",
		"mov.b32 %r1, %reserved_smem_offset_end;":  "%reserved_smem_offset_end: it says what the driver keeps in shared memory",
		"mov.b32 %r1, %reserved_smem_offset_0;":    "%reserved_smem_offset_0: it says",
		"mov.b32 %r1, %reserved_smem_offset_1;":    "%reserved_smem_offset_1: it says",
		"mov.b32 %r1, %reserved_smem_offset_2;":    "%reserved_smem_offset_2 is not declared",
		"mov.u32 %r1, %globaltimer;":               "%globaltimer is a .u64, a .u32 is wanted",
		"mov.u32 %r1, %clock64;":                   "%clock64 is a .u64, a .u32 is wanted",
		"mov.f32 %f1, %tid.x;":                     "%tid.x is a .u32, a .f32 is wanted",
		"mov.u64 %rd1, %tid.x;":                    "%tid.x is a .u32, a .u64 is wanted",
		"mov.u32 %r1, %tid;":                       "%tid is not declared",
		"mov.u32 %r1, %is_explicit_cluster;":       "%is_explicit_cluster is a predicate",
		"add.u32 %r1, %r1, %globaltimer_lo;":       "%globaltimer_lo is a special register: mov it to another first",
		"mov.v2.u32 {%r1, %r2}, %tid;":             "has 4 registers, wants 2",
		"and.pred %p1, %p2, %is_explicit_cluster;": "%is_explicit_cluster is no predicate",
	} {
		_, err := newRig(t, Options{}).d.Load(specialKernel(body))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	// What came later than .version or .target.
	for body, want := range map[string]string{
		"mov.u64 %rd1, %current_graph_exec;":        "needs .version 8.0",
		"mov.u32 %r1, %aggr_smem_size;":             "needs .version 8.1",
		"mov.u32 %r1, %cluster_ctarank;":            "needs .version 7.8",
		"mov.u32 %r1, %clusterid.x;":                "needs .version 7.8",
		"mov.pred %p1, %is_explicit_cluster;":       "needs .version 7.8",
		"mov.b32 %r1, %reserved_smem_offset_begin;": "needs .version 7.6",
	} {
		_, err := newRig(t, Options{}).d.Load(strings.Replace(kernel(1, body), ".version 8.0", ".version 7.5", 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
