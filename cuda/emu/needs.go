package emu

import "slices"

// A need is what an instruction asks of .version and .target, from the "PTX ISA
// Notes" and "Target ISA Notes" of its section. A compiler refuses what an older
// module has no right to, so the emulator does as well.
type need struct {
	ops  string   // its first word, or "" for all
	mods []string // that it has, all of them
	ptx  int      // 78 is .version 7.8
	sm   int
}

var needs = []need{
	{"", []string{".shared::cta"}, 78, 30},
	{"ldmatrix", nil, 65, 75}, {"stmatrix", nil, 78, 90}, {"movmatrix", nil, 78, 75},
	{"mma", nil, 70, 80}, {"mma", []string{".e4m3"}, 84, 89}, {"mma", []string{".e5m2"}, 84, 89},
	{"mma", []string{".f64", ".m16n8k4"}, 78, 90}, {"mma", []string{".f64", ".m16n8k8"}, 78, 90}, {"mma", []string{".f64", ".m16n8k16"}, 78, 90},
	{"mma", []string{".sp"}, 71, 80}, {"mma", []string{".sp::ordered_metadata"}, 85, 80},
	{"mma", []string{".e4m3", ".f16"}, 87, 89}, {"mma", []string{".e5m2", ".f16"}, 87, 89},
	{"mma", []string{".e4m3", ".m16n8k16"}, 87, 89}, {"mma", []string{".e5m2", ".m16n8k16"}, 87, 89},
	{"cp", []string{".async"}, 70, 80}, {"cp", []string{".L2::cache_hint"}, 74, 80}, {"cp", []string{".L2::128B"}, 74, 80}, {"cp", []string{".L2::256B"}, 74, 80},
	{"mbarrier", nil, 70, 80}, {"mbarrier", []string{".test_wait", ".parity"}, 71, 80}, {"mbarrier", []string{".try_wait"}, 78, 90}, {"mbarrier", []string{".expect_tx"}, 80, 90},
	{"redux", nil, 70, 80}, {"elect", nil, 80, 90}, {"match", nil, 60, 70}, {"activemask", nil, 62, 30}, {"shfl", []string{".sync"}, 60, 30}, {"vote", []string{".sync"}, 60, 30},
	{"bar", []string{".warp"}, 60, 30}, {"barrier", nil, 60, 30}, {"fence", nil, 60, 70}, {"fence", []string{".acquire"}, 86, 90}, {"fence", []string{".release"}, 86, 90},
	{"griddepcontrol", nil, 78, 90}, {"brx", nil, 60, 30}, {"addc", nil, 12, 20}, {"bmsk", nil, 76, 70}, {"szext", nil, 76, 70}, {"fns", nil, 60, 30}, {"dp4a", nil, 50, 61}, {"dp2a", nil, 50, 61},
	{"cvta", []string{".param"}, 77, 20},
	{"max", []string{".NaN"}, 70, 80}, {"min", []string{".NaN"}, 70, 80}, {"tanh", nil, 70, 75}, {"ex2", []string{".f16"}, 70, 75}, {"ex2", []string{".f16x2"}, 70, 75},
	{"cvt", []string{".relu"}, 70, 80}, {"cvt", []string{".f16x2"}, 70, 80}, {"cvt", []string{".bf16"}, 70, 80}, {"cvt", []string{".bf16x2"}, 70, 80}, {"cvt", []string{".tf32"}, 70, 80},
	{"cvt", []string{".e4m3x2"}, 78, 89}, {"cvt", []string{".e5m2x2"}, 78, 89},
	{"ld", []string{".relaxed"}, 60, 70}, {"ld", []string{".acquire"}, 60, 70}, {"st", []string{".relaxed"}, 60, 70}, {"st", []string{".release"}, 60, 70},
}

// bfloatNeeds are for instructions with .bf16 or .bf16x2.
var bfloatNeeds = map[string]need{
	"add": {ptx: 78, sm: 90}, "sub": {ptx: 78, sm: 90}, "mul": {ptx: 78, sm: 90}, "atom": {ptx: 78, sm: 90}, "red": {ptx: 78, sm: 90}, "tanh": {ptx: 78, sm: 90}, "ex2": {ptx: 78, sm: 90},
	"setp": {ptx: 78, sm: 90}, "set": {ptx: 78, sm: 90},
	"fma": {ptx: 70, sm: 80}, "min": {ptx: 70, sm: 80}, "max": {ptx: 70, sm: 80}, "abs": {ptx: 70, sm: 80}, "neg": {ptx: 70, sm: 80}, "mma": {ptx: 70, sm: 80},
}

// allowed refuses an instruction that the module's .version or .target is too old for.
func (c *compiler) allowed(in *instrText) {
	has := func(mods ...string) bool {
		for _, m := range mods {
			if !slices.Contains(in.mods, m) {
				return false
			}
		}
		return true
	}
	for i := range needs {
		if n := &needs[i]; (n.ops == in.op || n.ops == "") && has(n.mods...) {
			c.require(n.ptx, n.sm)
		}
	}
	bfloat := has(".bf16") || has(".bf16x2")
	if n, ok := bfloatNeeds[in.op]; ok && bfloat {
		c.require(n.ptx, n.sm)
	}
	switch {
	case in.op == "cvt" && has(".bf16") && len(in.mods) > 1:
		// From and to f32 it came first, each way in its version.
		if m := in.mods; m[len(m)-1] == ".bf16" && m[len(m)-2] == ".f32" {
			c.require(71, 80)
		} else if m[len(m)-1] != ".f32" {
			c.require(78, 90)
		}
	case in.op == "cvt" && (has(".e4m3x2") || has(".e5m2x2")) && c.mod.text.sm < 90:
		c.require(81, 89)
	case (in.op == "atom" || in.op == "red") && (has(".v2") || has(".v4") || has(".v8")):
		c.require(81, 90)
	case (in.op == "min" || in.op == "max") && len(in.args) == 4:
		c.require(88, 100)
	}
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
