package emu

import (
	"slices"
	"strings"
)

// Instructions of PTX 9.5 that the emulator does not execute: the instruction, the
// modifiers that make it one of those, and what it is. The first that fits counts.
var unexecuted = []struct {
	op   string // its first word, or "" for all
	mods []string
	what string
}{
	{"wgmma", nil, "matrix products of four warps at once (sm_90a)"},
	{"tcgen05", nil, "tensor cores of sm_100 and their memory"},
	{"setmaxnreg", nil, "moving registers from warp to warp (sm_90a)"},
	{"tensormap", nil, "changing a tensor map"},
	{"multimem", nil, "memory of several GPUs at one address"},
	{"fabric", nil, "memory of other GPUs"},
	{"clusterlaunchcontrol", nil, "taking over the work of a cluster that has not begun"},
	{"cp", []string{".async", ".bulk"}, "bulk copies, as of tensors, and their groups"},
	{"cp", []string{".reduce"}, "bulk copies, which add up here"},
	{"st", []string{".async"}, "a store into the shared memory of a cluster that an mbarrier counts"},
	{"st", []string{".bulk"}, "a bulk store of zeros into shared memory"},
	{"red", []string{".async"}, "an operation on the shared memory of a cluster that an mbarrier counts"},
	{"mma", []string{".block_scale"}, "a matrix product of blocks with a scale each (sm_120a)"},
	{"mma", []string{".kind::f8f6f4"}, "a matrix product of floats of 4, 6 and 8 bits (sm_120a)"},
	{"mma", []string{".b1"}, "a matrix product of single bits"},
	{"mma", []string{".s4"}, "a matrix product of integers of 4 bits"},
	{"mma", []string{".u4"}, "a matrix product of integers of 4 bits"},
	{"mma", []string{".m8n8k4", ".f16"}, "a matrix product of four groups of lanes, of sm_70"},
	{"wmma", []string{".b1"}, "a matrix product of single bits"},
	{"ldmatrix", []string{".b8"}, "matrices of 8 bits and less (sm_100a)"},
	{"ldmatrix", []string{".m8n16"}, "matrices of 8 bits and less (sm_100a)"},
	{"ldmatrix", []string{".m16n16"}, "matrices of 8 bits and less (sm_100a)"},
	{"stmatrix", []string{".b8"}, "matrices of 8 bits (sm_100a)"},
	{"redux", []string{".f32"}, "the extreme of floats of a warp (sm_100a)"},
	{"", []string{".f32x2"}, "two f32 in one register of 64 bits (sm_100)"},
	{"", []string{".u16x2"}, "two integers of 16 bits in one register (sm_90)"}, {"", []string{".s16x2"}, "two integers of 16 bits in one register (sm_90)"},
	{"fma", []string{".oob"}, "a product in which a certain NaN is 0 (sm_90)"},
	{"add", []string{".f32", ".f16"}, "a sum of mixed types (sm_100)"}, {"add", []string{".f32", ".bf16"}, "a sum of mixed types (sm_100)"},
	{"sub", []string{".f32", ".f16"}, "a difference of mixed types (sm_100)"}, {"sub", []string{".f32", ".bf16"}, "a difference of mixed types (sm_100)"},
	{"fma", []string{".f32", ".f16"}, "a product and a sum of mixed types (sm_100)"}, {"fma", []string{".f32", ".bf16"}, "a product and a sum of mixed types (sm_100)"},
	{"fence", []string{".sync_restrict::shared::cta"}, "a fence of shared memory alone"},
	{"fence", []string{".sync_restrict::shared::cluster"}, "a fence of shared memory alone"},
	{"cvt", []string{".rs"}, "rounding by random bits (sm_100a)"},
	{"cvt", []string{".e2m1x2"}, "floats of 4 bits (sm_100a)"},
	{"cvt", []string{".e2m3x2"}, "floats of 6 bits (sm_100a)"}, {"cvt", []string{".e3m2x2"}, "floats of 6 bits (sm_100a)"},
	{"cvt", []string{".ue8m0x2"}, "scales of blocks (sm_100a)"},
	{"clmad", nil, "a product without carries"},
	{"", []string{".b128"}, "numbers of 128 bits"},
	{"alloca", nil, "memory of a thread whose size is known when it runs"},
	{"stacksave", nil, "the stack that alloca takes memory from"}, {"stackrestore", nil, "the stack that alloca takes memory from"},
	{"brkpt", nil, "a stop for a debugger"},
	{"tex", nil, "textures"}, {"tld4", nil, "textures"}, {"txq", nil, "textures"}, {"istypep", nil, "textures"},
	{"suld", nil, "surfaces"}, {"sust", nil, "surfaces"}, {"sured", nil, "surfaces"}, {"suq", nil, "surfaces"},
	{"vadd2", nil, videoParts}, {"vsub2", nil, videoParts}, {"vavrg2", nil, videoParts}, {"vabsdiff2", nil, videoParts}, {"vmin2", nil, videoParts}, {"vmax2", nil, videoParts}, {"vset2", nil, videoParts},
	{"vadd4", nil, videoParts}, {"vsub4", nil, videoParts}, {"vavrg4", nil, videoParts}, {"vabsdiff4", nil, videoParts}, {"vmin4", nil, videoParts}, {"vmax4", nil, videoParts}, {"vset4", nil, videoParts},
}

const videoParts = "operations on two or four parts of a register"

// executed refuses an instruction that PTX has and the emulator does not.
func (c *compiler) executed(in *instrText) {
	for i := range unexecuted {
		u := &unexecuted[i]
		if u.op != "" && u.op != in.op {
			continue
		}
		if !slices.ContainsFunc(u.mods, func(m string) bool { return !slices.Contains(in.mods, m) }) {
			c.fail("the emulator does not execute %s: %s", in.op+strings.Join(u.mods, ""), u.what)
		}
	}
}

// known reports whether PTX has instructions that begin with op.
func known(op string) bool {
	if _, ok := opcodes[op]; ok {
		return true
	}
	for i := range unexecuted {
		if unexecuted[i].op == op {
			return true
		}
	}
	return false
}
