package emu

import (
	"slices"
	"strings"
)

// A need is what an instruction asks of .version and .target. A compiler refuses what an
// older module has no right to, so the emulator does as well. Where ptxas and the notes of
// the PTX ISA disagree, as for fence.acquire, this follows ptxas. testdata/needs.txt has
// what it said.
type need struct {
	ops  string // its first word: one of those with | between, or "" for all
	mods string // modifiers that it has, all of them; those with | between are one or the other, and * is any end
	ptx  int    // 78 is .version 7.8
	sm   int
}

var needs = []need{
	// Spaces, scopes, caches.
	{"ld|st|atom|red|mbarrier|ldmatrix|stmatrix|isspacep|cvta|wmma|fence", ".shared::cta", 78, 30}, {"cp", ".mbarrier .shared::cta", 78, 80},
	{"", ".shared::cluster", 78, 90}, {"ld|st|atom|red|fence|mbarrier", ".cluster", 78, 90},
	{"cvta|isspacep", ".param", 77, 70}, {"cvta|isspacep", ".param::entry", 83, 70}, {"ld", ".param::entry|.param::func", 83, 20}, {"st", ".param::func", 83, 20},
	{"ld", ".weak|.relaxed|.acquire", 60, 70}, {"st", ".weak|.relaxed|.release", 60, 70}, {"ld|st", ".mmio", 82, 70},
	{"ld|st", ".L1::*", 74, 70}, {"ld", ".L2::64B|.L2::128B", 74, 75}, {"ld", ".L2::256B", 74, 80}, {"cp", ".L2::64B|.L2::128B|.L2::256B", 74, 80}, {"", ".L2::cache_hint", 74, 80},
	{"prefetch", ".L2::evict_*", 74, 80}, {"prefetch", ".tensormap", 80, 90}, {"applypriority|discard", "", 74, 80},

	// Synchronisation.
	{"atom|red", ".relaxed|.acquire|.release|.acq_rel", 60, 70}, {"atom|red", ".cta|.gpu|.sys", 50, 60}, {"atom|red", ".f64", 50, 60},
	{"atom|red", ".f16x2", 62, 60}, {"atom|red", ".f16", 63, 70}, {"atom", ".cas .b16", 63, 70}, {"atom|red", ".v2|.v4|.v8", 81, 90},
	{"fence", "", 60, 70}, {"fence|membar", ".proxy .alias", 75, 60}, {"fence", ".proxy .async|.async::generic|.async.global|.async.shared::cta|.async.shared::cluster", 80, 90},
	{"fence", ".proxy .tensormap::*", 83, 90}, {"fence", ".mbarrier_init", 80, 90},
	{"barrier", "", 60, 30}, {"bar|barrier", ".cta", 78, 30}, {"bar", ".warp", 60, 30}, {"barrier", ".cluster", 78, 90}, {"barrier", ".cluster .relaxed|.acquire|.release", 80, 90},
	{"mbarrier", "", 70, 80}, {"mbarrier", ".test_wait .parity", 71, 80}, {"mbarrier", ".try_wait", 78, 90}, {"mbarrier", ".expect_tx|.complete_tx", 80, 90},
	{"mbarrier", ".acquire|.release", 80, 80}, {"mbarrier", ".arrive|.arrive_drop|.test_wait|.try_wait .relaxed", 86, 90},
	{"nanosleep", "", 62, 70}, {"griddepcontrol", "", 78, 90}, {"brx", "", 60, 30}, {"mapa|getctarank", "", 78, 90},
	{"shfl|vote", ".sync", 60, 30}, {"match", "", 60, 70}, {"activemask", "", 62, 30}, {"redux", "", 70, 80}, {"elect", "", 80, 90},

	// Matrices and copies.
	{"ldmatrix", "", 65, 75}, {"stmatrix", "", 78, 90}, {"movmatrix", "", 78, 75}, {"cp", ".async", 70, 80},
	{"mma", "", 65, 75}, {"mma", ".m16n8k16|.m16n8k32|.m16n8k4|.bf16|.tf32|.f64", 70, 80}, {"mma", ".e4m3|.e5m2", 84, 89},
	{"mma", ".f64 .m16n8k4|.m16n8k8|.m16n8k16", 78, 90}, {"mma", ".e4m3|.e5m2 .f16|.m16n8k16", 87, 89},
	{"mma", ".sp", 71, 80}, {"mma", ".sp::ordered_metadata", 85, 80},

	// Arithmetic.
	{"add|sub|mad", ".cc .u64|.s64|.b64", 43, 20}, {"addc|subc|madc", "", 12, 20}, {"addc|subc|madc", ".cc .u64|.s64|.b64", 43, 20},
	{"lop3", "", 43, 50}, {"bmsk|szext", "", 76, 70}, {"fns", "", 60, 30}, {"dp4a|dp2a", "", 50, 61},
	{"max|min", ".NaN", 70, 80}, {"max|min", ".xorsign", 72, 86}, {"max|min", ".relu", 80, 90}, {"tanh", "", 70, 75}, {"ex2", ".f16|.f16x2", 70, 75},
	{"add|sub|mul|fma|setp|set", ".f16|.f16x2", 42, 53}, {"neg", ".f16|.f16x2", 60, 53}, {"abs", ".f16|.f16x2", 65, 53}, {"min|max", ".f16|.f16x2", 70, 80}, {"fma", ".relu", 70, 80},
	{"set", ".u16|.s16|.u32|.s32 .f16|.f16x2", 65, 53},
	{"add|sub|mul|atom|red|tanh|ex2|setp|set", ".bf16|.bf16x2", 78, 90}, {"fma|min|max|abs|neg", ".bf16|.bf16x2", 70, 80},

	// Conversions.
	{"cvt", ".relu|.bf16|.bf16x2|.tf32", 70, 80}, {"cvt", ".f16x2 .f32", 70, 80}, {"cvt", ".tf32 .rn|.rz", 78, 90},
	{"cvt", ".e4m3x2|.e5m2x2", 78, 89}, {"cvt", ".pack", 65, 72}, {"cvt", ".pack .u4|.s4|.u2|.s2", 65, 75},
}

// needsOf are the needs by first word; those of "" are for all.
var needsOf = func() map[string][]*need {
	of := map[string][]*need{}
	for i := range needs {
		for op := range strings.SplitSeq(needs[i].ops, "|") {
			of[op] = append(of[op], &needs[i])
		}
	}
	return of
}()

// allowed refuses an instruction that the module's .version or .target is too old for.
func (c *compiler) allowed(in *instrText) {
	for _, list := range [][]*need{needsOf[in.op], needsOf[""]} {
		for _, n := range list {
			if n.fits(in) {
				c.require(n.ptx, n.sm)
			}
		}
	}
	m := in.mods
	has := func(mod string) bool { return slices.Contains(m, mod) }
	narrow := has(".e4m3x2") || has(".e5m2x2")
	if in.op == "cvt" && has(".satfinite") && !narrow {
		c.require(81, 70)
	}
	switch {
	case in.op == "cvt" && has(".bf16") && len(m) > 1:
		// From and to f32 it came first, each way in its version.
		if m[len(m)-1] == ".bf16" && m[len(m)-2] == ".f32" {
			c.require(71, 80)
		} else if m[len(m)-1] != ".f32" {
			c.require(78, 90)
		}
	case in.op == "cvt" && narrow && c.mod.text.sm < 90:
		c.require(81, 89) // on sm_90 they came before
	case (in.op == "min" || in.op == "max") && len(in.args) == 4:
		c.require(88, 100)
	case in.op == "mbarrier" && (has(".arrive") || has(".arrive_drop")) && len(in.args) > 1:
		if in.args[0].kind == argSink {
			c.require(71, 80)
		}
		if len(in.args) == 3 && !has(".noComplete") && !has(".expect_tx") {
			c.require(78, 90) // a count, of arrivals that may complete the phase
		}
	}
}

// fits reports whether n is of an instruction that begins with one of its words.
func (n *need) fits(in *instrText) bool {
	for mods := range strings.FieldsSeq(n.mods) {
		if !slices.ContainsFunc(in.mods, func(m string) bool { return either(mods, m) }) {
			return false
		}
	}
	return true
}

// either reports whether word is one of a list with | between.
func either(list, word string) bool {
	for x := range strings.SplitSeq(list, "|") {
		if begin, ok := strings.CutSuffix(x, "*"); x == word || ok && strings.HasPrefix(word, begin) {
			return true
		}
	}
	return false
}

func (c *compiler) require(ptx, sm int) {
	t := c.mod.text
	if have := 10*t.version[0] + t.version[1]; have < ptx {
		c.fail("needs .version %d.%d, the module says %d.%d", ptx/10, ptx%10, t.version[0], t.version[1])
	}
	if t.sm < sm {
		c.fail("needs .target sm_%d, the module says %s", sm, t.target)
	}
}
