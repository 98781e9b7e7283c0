package gpu

import "regexp"

// An equivalence is a mutant, or a kind of mutants, that the checks let pass.
type equivalence struct {
	kernel, mutant *regexp.Regexp
	why            string
	// long says that it is no equivalent, and that only the trials of TILESMITH_LONG find it,
	// open that no trial does.
	long, open bool
}

func same(kernel, mutant, why string) equivalence {
	return equivalence{regexp.MustCompile(kernel), regexp.MustCompile(mutant), why, false, false}
}

// later is a mutant that TILESMITH_LONG catches.
func later(kernel, mutant, why string) equivalence {
	return equivalence{regexp.MustCompile(kernel), regexp.MustCompile(mutant), why, true, false}
}

// open is a mutant that is wrong, for operands that no trial has.
func open(kernel, mutant, why string) equivalence {
	return equivalence{regexp.MustCompile(kernel), regexp.MustCompile(mutant), why, false, true}
}

var equivalents = []equivalence{
	same(`(?i)MatMul(BF16|E4M3)`, `rounding: .*: (fma|mul)\.rn\.f32`,
		"alpha*a*b + beta*out in single precision, which is then rounded to 8 bits: its last bit shows where that is nearly halfway between two, a case in 2^15"),
	same(`(?i)MatMul(BF16|TF32|F64|E4M3|E5M2)\w*_parts$`, `rounding: .*: add\.rn\.f(32|64) `,
		"the sums of parts: those of tensor cores are known within a bound only, and integers are exact; the text for f32, which is alike, is held to the bit"),
	same(``, `(operand|number): .*min\.s64 .*, 32; -> `,
		"the bound that makes what is left of K fit into 32 bits: it changes nothing where K does, and all that is more than a tile is alike"),
	same(``, `sign: .*: (setp\.(lt|le|gt|ge)\.s(32|64)|min\.s(32|64)) `, "both sides are coordinates or counts, which are never negative"),
	same(`_[mk][kn](16|4)$|_any$`, `comparison: .*: setp\.ge\.s64 .* -> .*setp\.gt\.s64`,
		"the loop over K goes on for one tile more, which is copied as zeros"),
	same(``, `number: .*: add\.s64 .*, 31; -> .*, 32;`,
		"K is rounded up to tiles: where it is a multiple of BK, one tile more, which is copied as zeros"),
	same(``, `removed: .*: @%p\d+ bra\.uni `, "without steps of K the loop is entered all the same, for one tile of zeros"),
	same(``, `operand: .*: and\.b32 .*, %r1, 31; -> |operand: .*: and\.b32 %r\d+, %r\d+, 1; -> `,
		"the number of a lane's highest bit, of which there is nothing above, or of a thread, of which what is above a lane is masked again"),
	same(``, `operation: .*: xor\.b32 .* -> .*or\.b32`, "the halves of an offset or of its permutation, which have no bit in common"),
	same(``, `operand: .*: mul\.lo\.s32 .*, 0, .* -> |operation: .*: add\.s64 .* -> sub\.s64`, "the part of a thread's first chunk, which is 0"),
	same(`_any$`, `(removed|number): .*: cp\.async\.(commit|wait)`, "this kernel copies nothing asynchronously"),
	same(`_any$`, `(operand|comparison|address): .*(setp\.le\.s64|arg_cs[ab]|arg_rs[ab])`, "the order in which the elements of a tile are gathered, of two that gather the same"),
	same(``, `guard: .*: @!?%p\d+ (selp|setp|mov|and|or|add|mul|fma|sub|cvt|ld)\S* .* -> (selp|setp|mov|and|or|add|mul|fma|sub|cvt|ld)`,
		"what is computed or loaded without need, from where there is something, and used only where it is needed"),
	same(`(?i)reduced`, `comparison: .*setp\.(gt|lt)\.f32 .* -> .*setp\.(ge|le)\.f32|operand: .*setp\.eq\.f32 %p\d+, (%f\d+), (%f\d+); -> `, "of equal numbers either is the largest"),
	same(`(?i)reduced`, `(operation|operand): .*: @%p\d+ and\.b32|operation: .*add\.rn\.f32 .* -> .*sub\.rn\.f32|rounding: .*@%p\d+ add\.rn\.f32`,
		"the largest of two zeros, which becomes +0 in the end; NaN and a number, of which sum and difference are NaN; and sums of rows, whose bound holds for either rounding"),
	same(`(?i)reduced`, `(number|comparison): .*(add\.s64 .*, 64; |setp\.lt\.s32 .*, (32|64); )|removed: .*: @!?%p\d+ bra `,
		"the step and the end of a loop over rows or columns that a thread goes round once: a tile has no more of them than the CTA threads"),
	same(``, `removed: .*: bra\.uni `,
		"a thread whose columns are all in the matrix goes on to the stores of those that are not: it stores all but its last element again, the same"),
	same(``, `number: .*: and\.b32 .*, (48|16|112); -> .*, (49|17|113);`,
		"a swizzle's mask is of multiples of 16, and what is masked is a thread's offset shifted, of which the last bit is that of a chunk's line times its bytes: 0"),

	later(``, `comparison: .*: setp\.lt\.s(32|64) .* -> .*setp\.le\.`, "a line beyond K, in a part of a copy that the end of K is not in: reading it is a fault"),
	later(``, `number: .*: setp\.lt\.s64 %p\d+, [1-7], `, "an old element at the end of a row of such a length, which is loaded if beta is not 0"),
	later(`(?i)reduced`, `operand: .*add\.rn\.f32|operand: .*and\.pred`, "NaN first and a number after it"),
	later(`4$`, `number: .*: sub\.s64 .*, 1; -> .*, 2;`, "the last row is clamped to the one before it, in a part of a copy that it is not in"),
	later(`_[mk]n(4|16)$|_mk(4|16)$`, `operation: .*: sub\.s32 .*, \d+; -> .*add\.s32`, "a line beyond K, in a part of a copy that the end of K is not in"),

	open(`(?i)reduced`, `number: .*mov\.b32 .*, 2147483647; -> `, "the index of no element, which shows in a row of nothing but +Inf"),
	open(`(?i)reduced`, `rounding: .*: mul\.rn\.f32`, "an element of bf16 times a small number, which is exact"),
}
