package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Wgmma is a family of instructions for tiles of 64 x N x 16, where N is the width of
// the accumulator. A warpgroup multiplies two tiles of shared memory, which descriptors
// name (see descriptor.go), while it goes on. Section 9.7.15.
//
// The types follow the accumulator's registers. As a plain value they belong to
// the threads. Fence hands them to the tensor cores and Wait takes them back. In
// between they are async, and nothing else may touch them.
//
//	acc := plain --Fence--> async --Mma--> async --Commit, Wait--> plain
//	        (or nothing --MmaZero--> async)   |        ^
//	                                          +--Keep--+  a wait that leaves some in flight
type Wgmma struct {
	N       int
	MmaZero *emit.Instruction // (a, b) -> A*B
	Mma     *emit.Instruction // (acc, a, b) -> acc + A*B
	Fence   *emit.Instruction // (plain) -> async: the registers hold a number to start from
	Keep    *emit.Instruction // wait until imm groups are in flight, one of which may still write acc
	Wait    *emit.Instruction // wait until imm groups are in flight, none of which writes acc
}

// The accumulators that kernels use: 128 and 256 columns keep the tensor cores
// busy from shared memory, 64 nearly.
var (
	Wgmma64  = wgmma(64)
	Wgmma128 = wgmma(128)
	Wgmma256 = wgmma(256)
)

// WgmmaFence orders accesses to registers before the multiplications after it,
// when no accumulator changes hands. It must come before the first one. Section
// 9.7.15.
var WgmmaFence = emit.Declare(emit.Instruction{
	Name: "wgmma.fence.sync.aligned",
	Doc:  "orders what was done to registers before the next wgmma.mma_async",
	Sync: emit.Warpgroup,
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, _, _ [][]emit.Word) error {
		coreOf(m).fenced = true
		return nil
	},
	Text:  map[string]string{"ptx": "wgmma.fence.sync.aligned;"},
	Needs: "sm_90a",
})

// WgmmaCommit closes a group of multiplications. Section 9.7.15.
var WgmmaCommit = emit.Declare(emit.Instruction{
	Name: "wgmma.commit_group.sync.aligned",
	Doc:  "makes the multiplications since the last commit_group a group",
	Sync: emit.Warpgroup,
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, _, _ [][]emit.Word) error {
		c := coreOf(m)
		c.groups, c.open = append(c.groups, c.open), nil
		return nil
	},
	Text:  map[string]string{"ptx": "wgmma.commit_group.sync.aligned;"},
	Needs: "sm_90a",
})

// WgmmaD returns where value i of a warpgroup's thread stands in the accumulator,
// 64 rows by N columns. Each warp has 16 rows, 8 columns at a time as in mma. Section
// 9.7.15.5.
func WgmmaD(thread, i int) (row, col int) {
	row, col = MmaC(thread%32, i%4)
	return row + thread/32*16, col + i/4*8
}

func wgmma(n int) *Wgmma {
	plain := emit.Frag(emit.Scalar(emit.F32), n/2)
	async := plain
	async.Async = true
	desc := emit.Int64
	declare := func(name, doc, text string, in, out []emit.Type, tied int, run emit.Meaning) *emit.Instruction {
		return emit.Declare(emit.Instruction{
			Name: name, Doc: doc, In: in, Out: out, Tied: []int{tied}, Sync: emit.Warpgroup, Mem: emit.Writes,
			Run: run, Text: map[string]string{"ptx": text}, Needs: "sm_90a",
		})
	}
	mma := fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk16.f32.bf16.bf16", n)
	const fence, wait = "wgmma.fence.sync.aligned", "wgmma.wait_group.sync.aligned"
	form := fmt.Sprintf("/n%d", n)
	return &Wgmma{
		N: n,
		MmaZero: declare(mma+"/zero", "begins A*B, both K-major, in registers that held nothing",
			mma+" {{0}}, {1}, {2}, 0, 1, 1, 0, 0;", []emit.Type{desc, desc}, []emit.Type{async}, -1,
			func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
				c := coreOf(m)
				return c.issue(m, c.enter(n, nil, out), in, 0, out)
			}),
		Mma: declare(mma, "begins operand 0 + A*B, both K-major",
			mma+" {{0}}, {2}, {3}, 1, 1, 1, 0, 0;", []emit.Type{async, desc, desc}, []emit.Type{async}, 0,
			func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
				c := coreOf(m)
				return c.issue(m, c.accs[in[0][0].Lane[0]], in, 1, out)
			}),
		Fence: declare(fence+form, "hands the accumulator to wgmma.mma_async", fence+";",
			[]emit.Type{plain}, []emit.Type{async}, 0,
			func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
				c := coreOf(m)
				c.fenced = true
				c.enter(n, in, out)
				return nil
			}),
		Keep: declare(wait+form+"/keep", "waits until at most the imm newest groups are in flight, which may write the accumulator",
			wait+" {imm};", []emit.Type{async}, []emit.Type{async}, 0,
			func(m *emit.Machine, imm int64, in, out [][]emit.Word) error {
				for t := range in {
					copy(out[t][0].Lane, in[t][0].Lane)
				}
				return coreOf(m).wait(m, imm)
			}),
		Wait: declare(wait+form, "waits until at most the imm newest groups are in flight, none of which writes the accumulator",
			wait+" {imm};", []emit.Type{async}, []emit.Type{plain}, 0,
			func(m *emit.Machine, imm int64, in, out [][]emit.Word) error {
				c := coreOf(m)
				if err := c.wait(m, imm); err != nil {
					return err
				}
				return c.leave(in[0][0].Lane[0], imm, out)
			}),
	}
}
