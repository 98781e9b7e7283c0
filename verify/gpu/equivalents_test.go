package gpu

import (
	"regexp"
	"strings"
)

// An equivalence is a mutant, or a kind of mutants, that the checks let pass. What excuses a
// mutant is held against the text of the kernel, by a formula or a proof: a reason is good
// for the lines that it is true of.
type equivalence struct {
	kernel, mutant *regexp.Regexp
	why            string
	// long says that it is no equivalent, and that only the trials of TILESMITH_LONG find it.
	long bool
	// some says that trials find some of them: it depends on numbers whether they are the same.
	some bool
	// formula, if not nil, has to match what the line computes: see [facts.formula].
	formula *regexp.Regexp
	// proof, if not nil, has to hold for the line, of which q is the changed one.
	proof func(f *facts, line int, p, q parsed) bool
}

// same is a mutant that does what the kernel does.
func same(kernel, mutant, why string) equivalence {
	return equivalence{kernel: regexp.MustCompile(kernel), mutant: regexp.MustCompile(mutant), why: why}
}

// later is a mutant that TILESMITH_LONG catches.
func later(kernel, mutant, why string) equivalence {
	e := same(kernel, mutant, why)
	e.long = true
	return e
}

// shown returns e as one of which trials find some.
func (e equivalence) shown() equivalence {
	e.some = true
	return e
}

// of narrows e to lines of a formula.
func (e equivalence) of(formula string) equivalence {
	e.formula = regexp.MustCompile(formula)
	return e
}

// where narrows e to lines that a proof holds for.
func (e equivalence) where(proof func(f *facts, line int, p, q parsed) bool) equivalence {
	e.proof = proof
	return e
}

// holds reports whether e excuses mutant m of a kernel.
func (e equivalence) holds(kernel string, f *facts, m mutant) bool {
	// But for where it finds its numbers, a kernel for groups is the one for a product.
	of := e.kernel.MatchString(kernel) || e.kernel.MatchString(strings.TrimSuffix(kernel, "group"))
	if !of || !e.mutant.MatchString(m.String()) || e.formula != nil && !e.formula.MatchString(f.formula(m.line)) {
		return false
	}
	return e.proof == nil || e.proof(f, m.line, f.code[m.line], parse(m.now))
}

// wordsLeft is how many words of metadata a thread has to copy, or how many bytes of them.
const wordsLeft = `(shl\(max\(|max\()?min\(sub\(sub\(.*\), (and\(%tid\.x, \d+\)|shl\((and\((%tid\.x|%r), \d+\)|%r), 1\))\), [12]\)`

var wordsSome = regexp.MustCompile(`^setp\([04], ` + wordsLeft)

var noColumn = regexp.MustCompile(`^setp\(\d+, ` + columnsLeft)

const columnsLeft = `sub\(arg_n, add\(shl\(`

var equivalents = []equivalence{
	same(`(?i)MatMul(BF16|E4M3)|Sparse(BF16|E5M2E4M3)`, `rounding: .*: (@%p\d+ )?(fma|mul)\.rn\.f32`,
		"alpha*a*b + beta*out in single precision, which is then rounded to 8 bits: its last bit shows where that is nearly halfway between two, a case in 2^15").shown(),
	same(`(?i)(MatMul(BF16|TF32|F16Sums|F64|E4M3|E5M2)\w*|Reduced_sm80|^sparse\w*)_parts(narrow)?$`, `rounding: .*: add\.rn\.f(32|64) `,
		"the sums of parts: those of tensor cores are known within a bound only, and integers are exact; the text for f32, which is alike, is held to the bit").
		where(func(_ *facts, _ int, p, _ parsed) bool { return p.args[0] == p.args[1] }).shown(),

	same(``, `sign: .*: (setp\.(lt|le|gt|ge)\.s(32|64)|min\.s(32|64)) `, "both sides are coordinates or counts, which are never negative").where(never),
	same(``, `sign: `, "what is left of rows of tiles, or of rows: a tile that a CTA has is in the matrix").of(`^min\(sub\(arg_tm?, |^min\(sub\(arg_m, |, min\(sub\(arg_m, .*\)$`),
	same(``, `sign: `, "what is left of columns, asked where there are some").of(`^setp\((\d+, ` + columnsLeft + `|` + columnsLeft + `.*, [1-9]\d*\)$)`),
	same(``, `sign: `, "what is left of columns of a tile: a tile that a CTA has is in the matrix").of(`min\(sub\(arg_n, shl\(`),
	same(`_any$`, `sign: .*: setp\.lt\.s64 `, "a coordinate along K, of the few bits of a thread's number").of(`^setp\(.*, arg_k\)$`),
	same(`split$`, `sign: `, "steps of a CTA: of every tile that it has there are some, so there is K for the first").of(`arg_steps|^setp\(shr\(%tid\.x, \d\), min\(sub\(min\(arg_k, `).
		where(func(f *facts, line int, p, _ parsed) bool {
			x := f.formula(line)
			return !strings.HasPrefix(x, "max(") && !strings.Contains(x, "add(max(") && !strings.Contains(x, "add(var(") && !strings.Contains(x, "shl(add(%r")
		}),

	same(`^([^s]|s[^p])`, `number: .*: add\.s64 .*, \d+; -> `,
		"K is rounded up to tiles: where it is a multiple of BK, one tile more, which is copied as zeros").of(`^add\(arg_k, (7|15|31|63|127)\)$`),
	same(`^sparse`, `number: .*: add\.s64 .*, \d+; -> `,
		"the same; where there is no K, some kernels copy zeros from beyond it, which is a fault").of(`^add\(arg_k, (7|15|31|63|127)\)$`).shown(),
	same(`split$`, `removed: .*: @%p\d+ bra\.uni `, "a CTA has a tile, and of every tile a step").
		of(`^if setp\(.*arg_steps`).where(forward),

	same(``, `comparison: .*: setp\.le\.s32 .* -> .*setp\.lt\.s32`,
		"as many tiles as there are stages: all are copied ahead of the loop, or the last between its rounds, of which the first has no turns then").of(`^setp\(.*\bshr\(.*, [2-9]\)$`),
	same(``, `sign: .*: setp\.(ge|lt)\.s32 `, "turns of the main loop: both of its rounds begin and end among the steps of K").of(`^setp\(var\(selp\(`),
	same(`split$`, `operand: .*: min\.s64 `, "the end of K in a tile of a part, which is whole unless K ends in it: what is left behind it fits into 32 bits but for the largest K").of(`^min\(arg_k, shl\(`),
	same(`split$`, `(sign|operand): .*: max\.s(32|64) `, "the last step of a part, of which there is one").of(`^max\(sub\(.*, 1\), 0\)$`),
	same(``, `operand: .*: setp\.(eq|ne)\.s32 `, "a is b where b is a"),
	same(`split$`, `number: .*: shl\.b64 `, "the same").of(`^shl\(min\(min\(sub\(.*, arg_steps\), shr\(add\(arg_k, \d+\), \d\)\), \d\)$`),
	same(`split$`, `comparison: .*: setp\.ge\.s32 .* -> .*setp\.gt\.s32`, "a CTA's first tile is not behind its last").of(`^setp\(var\(div\(mul\(%ctaid\.x, arg_span\), arg_steps\)\), add\(div\(`),
	same(`split$`, `operand: .*: min\.s32 `, "where the steps of the last CTA end: a tile behind the last has no rows or no columns, and its part lies where no other does").
		of(`^min\(add\(mul\(%ctaid\.x, arg_span\), arg_span\), arg_all\)$`),
	same(``, `sign: .*: setp\.lt\.s32 `, "a line of the last tile of K, in which there is one at least, or of a part of K").
		of(`^setp\(\d+, sub\(sub\((arg_k|min\(arg_k, .*\)), shl\(.*\)\), shr\(%tid\.x, \d\)\)\)$`).where(lineLeft),
	same(`split$`, `number: .*: selp\.b32 `, "the first line of the last tile of a part of K, which there is").of(`^selp\(\d+, 0, setp\(0, sub\(sub\(min\(arg_k, `).where(linesThere),
	same(``, `operand: .*: add\.s64 `, "one tile from the first, and one more: twice as far, as the first is at 0").where(twice),

	same(``, `operand: .*: and\.b32 |number: .*: and\.b32 `, "bits that are 0 in what is masked, or masked again").where(masked),
	same(``, `(operand|number): .*: and\.b16 `, "the upper half of what becomes a byte").where(masked),
	same(``, `number: .*: (bfe\.u32|bfi\.b32) `, "a byte with the bit beside it, which is cut off, or where the next byte comes").where(unseen),
	same(``, `number: .*: shr\.u32 `, "bits that are 0: the part of a thread's offset that is less than a line").where(shifted),
	same(``, `operation: .*: xor\.b32 .* -> .*or\.b32`, "an offset and its permutation, or halves of one, which have no bit in common").where(apart),
	same(``, `(operand|number|operation): .*: (mul\.lo\.s(32|64)|shl\.b32) `, "the part of a thread's first chunk, which is 0, or the first round of a loop that has no other").where(zero),
	same(``, `operation: .*: (add\.s(32|64) .* -> sub\.s|sub\.s(32|64) .* -> add\.s)`, "of 0: the part of a thread's first chunk").where(nothing),
	same(``, `sign: .*: cvt\.s32\.s8 .* -> .*cvt\.u32\.s8`, "a byte with a sign is extended by it, whatever the word is called"),
	same(``, `comparison: .*: setp\.lt\.f32 `, "of two that are equal either is the least, or the largest").where(either),
	same(``, `comparison: .*: setp\.lt\.f32 `, "a number that was clamped below that already").where(less),
	same(``, `number: .*: selp\.b32 `, "the integer for NaN: what there is beside it was clamped, and language.md promises nothing of a NaN as an integer").where(ofNaN),

	same(``, `(operand|number): .*: min\.s64 `, "columns of a tile, compared with the number of one").where(bounded),

	same(`group$`, `sign: `, "how many products there are that a tile may be of: one or more").of(`^setp\(sub\(var\(arg_products\), var\(0\)\), 1\)$`),
	same(`group$`, `sign: `, "numbers of tiles, which are never negative").of(`^setp\(ld\(%rd\d+\), %ctaid\.x\)$`),

	same(`_any$`, `(removed|number): .*: cp\.async\.(commit|wait)`, "this kernel copies nothing asynchronously").where(synchronous),
	same(`_any$`, `(operand|comparison): .*setp\.le\.s64`, "the order in which the elements of a tile are gathered, of two that gather the same").of(`^setp\(arg_[cr]s[ab], arg_[cr]s[ab]\)$`),

	same(``, `guard: `, "what is computed or loaded without need, from where there is something, and used only where it is needed").where(idle),

	same(``, `operand: .*setp\.eq\.f32 `, "it is equal to itself either way"),
	same(`(?i)reduced|sparseLayer`, `comparison: .*setp\.gt\.f32 .* -> .*setp\.ge\.f32`, "of equal numbers either is the largest"),
	same(`(?i)reduced|sparseLayer`, `(operation|operand): .*: @%p\d+ and\.b32`, "the largest of two zeros, which becomes +0 in the end: other numbers that are equal have the same bits").of(`^and\(%f, %f\)$`),
	same(`(?i)reduced|sparseLayer`, `(operation|rounding): .*add\.rn\.f32 `, "NaN and a number, of which sum and difference are NaN").where(ofEquals).shown(),
	same(`(?i)reduced`, `operand: .*and\.pred `, "NaN among those that are equal: where what was before it is none, it is the least already").
		where(func(f *facts, _ int, p, q parsed) bool { return f.isNaN(p.args[1]) && f.isNaN(p.args[2]) }),
	same(`(?i)reduced|sparseLayer`, `guard: `, "two numbers of a column that are compared once more behind the last row, for nobody").where(stale),
	same(`(?i)reduced`, `operation: .*: add\.s32 .* -> sub\.s32`, "the column that a row begins with, from which on it goes round all of them").of(`^add\(var\(0\), var\(%tid\.x\)\)$`),
	same(`(?i)reduced`, `rounding: .*@%p\d+ add\.rn\.f32`, "sums of rows, whose bound holds for either rounding").shown(),
	same(`(?i)reduced|sparseLayer`, `number: .*add\.s64 .*, 64; `, "the step of a loop over rows or columns that a thread goes round once: a tile has no more of them than the CTA threads").
		of(`^add\(var\(%tid\.x\), 64\)$`),
	same(`(?i)reduced|sparseLayer`, `comparison: .*: setp\.lt\.s64 `, "the end of that loop: a tile has fewer rows").of(`^setp\(var\(%tid\.x\), min\(.*, (8|16|32)\)\)$`).
		where(func(f *facts, line int, _, _ parsed) bool { return f.before(line).args[2] == "64" }),
	same(`(?i)reduced|sparseLayer`, `comparison: .*: setp\.lt\.s32 .* -> .*setp\.le\.s32`, "an index, beside itself").of(`^setp\(add\(.*, var\(2147483647\)\)$`),
	same(`(?i)reduced|sparseLayer`, `removed: .*: @%p\d+ bra `, "the end of that loop").of(`^if setp\(var\(%tid\.x\), min\(`).
		where(func(f *facts, line int, p, q parsed) bool { return !forward(f, line, p, q) }),
	same(``, `removed: .*: @%p\d+ bra `, "a thread's first row is the tile's, which there is: a row has as many columns as the CTA threads").of(`^if setp\(var\(shr\(%tid\.x, 6\)\), min\(sub\(arg_m, `).
		where(func(f *facts, line int, p, q parsed) bool { return forward(f, line, p, q) && f.bits["%tid.x"]>>6 == 0 }),
	same(`(?i)reduced|sparseLayer`, `(number|comparison): .*setp\.lt\.s32 .*, (32|64); `, "the first element once more, of which nothing is the larger for that, or none").of(`^setp\(var\(0\), (32|64)\)$`).where(again),
	same(``, `guard: .*: @!%p\d+ st\.global\.`, "the first element of a whole chunk once more").where(storedFirst),
	same(``, `removed: .*: bra\.uni `,
		"a thread whose columns are all in the matrix goes on to the stores of those that are not: it stores all but its last element again, the same").where(stored),

	same(`^sparse`, `(number|operand): .*: (min\.s32|shl\.b32) |(sign|operand): .*: max\.s32 `,
		"words of metadata that a thread has to copy: there are all of its chunk or none, since metadata is padded to what an instruction takes; all of it is copied as words one by one just as well").
		of(`^` + wordsLeft).where(asked),
	same(`^sparse`, `number: .*: setp\.lt\.s32 %p\d+, [04], |comparison: .*: setp\.lt\.s32 %p\d+, 4, `, "whether there is a word, of bytes that are whole words, all of a chunk or none").of(wordsSome.String()),
	same(`^sparse`, `(number: .*: setp\.eq\.s32|guard: .* bra )`, "whether there is all of a chunk of metadata: all of it is copied as words one by one just as well").where(byWords),
	same(`^sparse`, `sign: .*: min\.s64 `, "the last sixteen rows, of which there are some where there is a tile").of(`, sub\(shr\(add\(arg_m, 15\), 4\), 1\)\)$`),
	same(`^sparse`, `(removed|address): .*: st\.shared\.b32 `, "metadata for no elements, of the last tile: in its stage there are those of a tile before it, which have to be valid and no more").
		of(`^st\(.*, var\(ld\(`).where(betweenRounds),
	same(``, `comparison: .*: setp\.ge\.s64 `, "the first row of a thread is that of the tile, which there is: the CTA has 64 threads, and so many columns").
		of(`^setp\(var\(shr\(%tid\.x, 6\)\), min\(sub\(arg_m, `).where(func(f *facts, _ int, _, _ parsed) bool { return f.bits["%tid.x"]>>6 == 0 }),
	same(`^sparse`, `operand: .*: and\.b32 `, "metadata for the lanes of which the instruction takes none").of(`^and\(and\(and\(%tid\.x, 31\), 3\), 1\)$`).where(pairs),
	same(`^sparse`, `guard: .*: @!%p\d+ mov\.b32 .* -> mov`, "what stands for a word that there is not, where there is none: see above").where(ofWords),
	same(`^sparse`, `address: .*ld\.global\.b32 `, "a word of a chunk of metadata of which there is a part: there are all of one or none, since metadata is padded to what an instruction takes").where(ofWords),

	same(``, `number: .*: @!%p\d+ mov\.b(16|32) `, "what stands for an operand of a column that there is not, of which nothing is stored").where(absent),
	same(``, `number: .*: mov\.b(16|32) `, "the same of the last column of a chunk, where there is a part of one").where(lastAbsent),

	later(``, `(comparison: .*: setp\.lt\.s(32|64) .* -> .*setp\.le\.|sign: .*: setp\.lt\.s32 )`, "a line beyond K, in a part of a copy that the end of K is not in: reading it is a fault").of(`^setp\(.*(arg_k|%r|%rd)`),
	later(``, `(number|comparison): .*: setp\.lt\.s64 %p\d+, \d+, `, "an old element at the end of a row of such a length, which is loaded if beta is not 0").of(`^setp\(\d+, ` + columnsLeft),
	later(`4$`, `number: .*: sub\.s64 .*, 1; -> .*, 2;`, "the last row is clamped to the one before it, in a part of a copy that it is not in").of(`^sub\(arg_[mn], 1\)$`),
	later(`_[mk]n(4|16)$|_mk(4|16)$`, `operation: .*: sub\.s32 .*, \d+; -> .*add\.s32`, "a line beyond K, in a part of a copy that the end of K is not in").of(`^sub\(.*, \d+\)$`),
	later(``, `number: .*: setp\.lt\.s(32|64) `, "a line of K, the last of which is in that part of a copy").of(`^setp\(\d+, sub\(sub\(`),
	later(`group$`, `operation: .*: sub\.s64 .*, 1; -> .*add\.s64 `, "rows beyond the last are copies of one behind it, where in a group another product's operands may be").of(`^sub\(arg_[mn], 1\)$`),
}
