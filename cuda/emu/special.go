package emu

import (
	"math/bits"
	"strings"
)

// A specialRegister is a register that a thread reads only (ISA chapter 10).
type specialRegister struct {
	typ     string
	read    func(w *warp, lane int) uint64
	ptx, sm int    // what it needs of .version and .target, 0 for nothing
	why     string // it is not there
}

const (
	noDriver  = "holds what the driver keeps of a launch, as of a cooperative one, which is not emulated"
	noCounter = "counts what a profiler chose, which is not emulated"
	noReserve = "says what the driver keeps in shared memory, which is not emulated"
)

// specials are the special registers, except those of the dimensions and those with a
// number in their name.
var specials = map[string]specialRegister{
	"%laneid":  {typ: "u32", read: func(_ *warp, lane int) uint64 { return uint64(lane) }},
	"%warpid":  {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(w.id) }},
	"%nwarpid": {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(len(w.cta.warps)) }},
	"%smid":    {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(w.cta.sm) }},
	"%nsmid":   {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(w.cta.launch.dev.opt.SMs) }},
	"%gridid":  {typ: "u64", read: func(w *warp, _ int) uint64 { return w.cta.launch.serial }},

	// A cycle and a nanosecond are an instruction of a warp.
	"%clock":          {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(uint32(w.cta.steps)) }},
	"%clock64":        {typ: "u64", read: func(w *warp, _ int) uint64 { return uint64(w.cta.steps) }},
	"%clock_hi":       {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(w.cta.steps) >> 32 }, ptx: 50},
	"%globaltimer":    {typ: "u64", read: func(w *warp, _ int) uint64 { return w.cta.time() }},
	"%globaltimer_lo": {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(uint32(w.cta.time())) }},
	"%globaltimer_hi": {typ: "u32", read: func(w *warp, _ int) uint64 { return w.cta.time() >> 32 }},

	"%lanemask_eq": {typ: "u32", read: func(_ *warp, lane int) uint64 { return 1 << lane }},
	"%lanemask_lt": {typ: "u32", read: func(_ *warp, lane int) uint64 { return 1<<lane - 1 }},
	"%lanemask_le": {typ: "u32", read: func(_ *warp, lane int) uint64 { return 2<<lane - 1 }},
	"%lanemask_gt": {typ: "u32", read: func(_ *warp, lane int) uint64 { return uint64(^uint32(2<<lane - 1)) }},
	"%lanemask_ge": {typ: "u32", read: func(_ *warp, lane int) uint64 { return uint64(^uint32(1<<lane - 1)) }},

	// The block's shared memory lies behind what the system keeps of it.
	"%dynamic_smem_size":          {typ: "u32", read: func(w *warp, _ int) uint64 { return uint64(w.cta.launch.grid.Shared) }, ptx: 41},
	"%total_smem_size":            {typ: "u32", read: func(w *warp, _ int) uint64 { return w.cta.sharedSize() }, ptx: 41},
	"%aggr_smem_size":             {typ: "u32", read: func(w *warp, _ int) uint64 { return w.cta.sharedSize() + sharedBase }, ptx: 81, sm: 90},
	"%reserved_smem_offset_begin": {typ: "b32", read: func(*warp, int) uint64 { return 0 }, ptx: 76, sm: 80},
	"%reserved_smem_offset_cap":   {typ: "b32", read: func(*warp, int) uint64 { return sharedBase }, ptx: 76, sm: 80},
	"%reserved_smem_offset_end":   {why: noReserve}, "%reserved_smem_offset_0": {why: noReserve}, "%reserved_smem_offset_1": {why: noReserve},

	// No launch is one of a graph.
	"%current_graph_exec": {typ: "u64", read: func(*warp, int) uint64 { return 0 }, ptx: 80, sm: 50},

	// Without clusters every block is one of its own.
	"%cluster_ctarank":  {typ: "u32", read: func(*warp, int) uint64 { return 0 }, ptx: 78, sm: 90},
	"%cluster_nctarank": {typ: "u32", read: func(*warp, int) uint64 { return 1 }, ptx: 78, sm: 90},
}

// explicitCluster is the one special register that is a predicate.
const explicitCluster = "%is_explicit_cluster"

// time is what the global timer says: it goes on from launch to launch.
func (c *cta) time() uint64 { return c.launch.serial<<40 + uint64(c.steps) + c.slept }

// sharedSize is the shared memory of the block, in the units that GPUs from sm_80 on give it
// out in.
func (c *cta) sharedSize() uint64 { return uint64(alignUp(int64(c.launch.shared), 128)) }

// dimensional are the special registers with .x, .y and .z.
var dimensional = map[string]func(w *warp, lane, axis int) int{
	"%tid":    func(w *warp, lane, axis int) int { return coordinates(w.id*32+lane, w.cta.launch.grid.Threads)[axis] },
	"%ntid":   func(w *warp, _, axis int) int { return w.cta.launch.grid.Threads[axis] },
	"%ctaid":  func(w *warp, _, axis int) int { return w.cta.id[axis] },
	"%nctaid": func(w *warp, _, axis int) int { return w.cta.launch.grid.Blocks[axis] },

	"%clusterid":      func(w *warp, _, axis int) int { return w.cta.id[axis] },
	"%nclusterid":     func(w *warp, _, axis int) int { return w.cta.launch.grid.Blocks[axis] },
	"%cluster_ctaid":  func(*warp, int, int) int { return 0 },
	"%cluster_nctaid": func(*warp, int, int) int { return 1 },
}

// special returns the special register of that name.
func special(name string) (s specialRegister, ok bool) {
	if s, ok := specials[name]; ok {
		return s, true
	}
	numbered := func(begin, end string, count int64) bool {
		digits, ok := strings.CutPrefix(name, begin)
		digits, ok2 := strings.CutSuffix(digits, end)
		return ok && ok2 && digits != "" && isDigits(digits) && member(digits, count)
	}
	switch n := len(name); {
	case numbered("%envreg", "", 32):
		return specialRegister{why: noDriver}, true
	case numbered("%pm", "", 8), numbered("%pm", "_64", 8):
		return specialRegister{why: noCounter}, true
	case n > 2 && name[n-2] == '.' && name[n-1] >= 'w' && name[n-1] <= 'z':
		f, ok := dimensional[name[:n-2]]
		axis := int(name[n-1] - 'x')
		s := specialRegister{typ: "u32", read: func(w *warp, lane int) uint64 {
			if axis < 0 || axis > 2 {
				return 0
			}
			return uint64(uint32(f(w, lane, axis)))
		}}
		if strings.Contains(name, "cluster") {
			s.ptx, s.sm = 78, 90
		}
		return s, ok
	}
	return specialRegister{}, false
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// specialSlot returns the slot of a special register.
func (c *compiler) specialSlot(a *argText, t typ) int {
	s, ok := special(a.name)
	switch {
	case !ok && c.labelOrFunc(a.name):
		c.failAt(a, "%s is code; a register or a constant is wanted", clip(a.name))
	case !ok && a.name == explicitCluster:
		c.failAt(a, "%s is a predicate, a %v is wanted", a.name, t)
	case !ok:
		c.failAt(a, "%s is not declared", clip(a.name))
	case s.why != "":
		c.failAt(a, "the emulator does not have %s: it %s", a.name, s.why)
	case c.in.op != "mov" && c.in.op != "cvt":
		c.failAt(a, "%s is a special register: mov it to another first", a.name)
	case fits(types[s.typ], t):
	case a.name == "%gridid" && t.size == 4 && !t.float(), s.typ == "u32" && t.size == 2 && !t.float():
		// As many bits as registers had once; the lower ones are read.
		read, mask := s.read, maskOf(t.size)
		s.read = func(w *warp, lane int) uint64 { return read(w, lane) & mask }
	default:
		c.failAt(a, "%s is a .%s, a %v is wanted", a.name, s.typ, t)
	}
	c.require(s.ptx, s.sm)
	key := specialKey{a.name, t.size}
	if s, ok := c.spec[key]; ok {
		return s
	}
	slot := c.newSlot()
	// A clock is read when it is used; all others stay what they are.
	if strings.HasPrefix(a.name, "%clock") || strings.HasPrefix(a.name, "%globaltimer") {
		c.ins.before = append(c.ins.before, func(w *warp, _ uint32) {
			for i := range 32 {
				w.r[slot][i] = s.read(w, i)
			}
		})
		return slot
	}
	c.spec[key] = slot
	c.prog.reads = append(c.prog.reads, specialRead{slot, s.read})
	return slot
}

// A specialKey is a special register, and how many bytes of it are read.
type specialKey struct {
	name string
	size int
}

func (c *compiler) labelOrFunc(name string) bool {
	return c.in.label(name) != nil || c.mod.text.globals.funcs[name] != nil
}

func popcount(m uint32) int { return bits.OnesCount32(m) }
