package emu

import "math/bits"

// specials are the special registers (ISA chapter 10), all but those of the
// dimensions.
var specials = map[string]struct {
	typ  string
	read func(w *warp, lane int) uint64
}{
	"%laneid":   {"u32", func(_ *warp, lane int) uint64 { return uint64(lane) }},
	"%warpid":   {"u32", func(w *warp, _ int) uint64 { return uint64(w.id) }},
	"%nwarpid":  {"u32", func(w *warp, _ int) uint64 { return uint64(len(w.cta.warps)) }},
	"%smid":     {"u32", func(w *warp, _ int) uint64 { return uint64(w.cta.sm) }},
	"%nsmid":    {"u32", func(w *warp, _ int) uint64 { return uint64(w.cta.launch.dev.opt.SMs) }},
	"%gridid":   {"u64", func(w *warp, _ int) uint64 { return w.cta.launch.serial }},
	"%clock":    {"u32", func(w *warp, _ int) uint64 { return uint64(uint32(w.cta.steps)) }},
	"%clock64":  {"u64", func(w *warp, _ int) uint64 { return uint64(w.cta.steps) }},
	"%clock_hi": {"u32", func(w *warp, _ int) uint64 { return uint64(w.cta.steps) >> 32 }},

	"%lanemask_eq": {"u32", func(_ *warp, lane int) uint64 { return 1 << lane }},
	"%lanemask_lt": {"u32", func(_ *warp, lane int) uint64 { return 1<<lane - 1 }},
	"%lanemask_le": {"u32", func(_ *warp, lane int) uint64 { return 2<<lane - 1 }},
	"%lanemask_gt": {"u32", func(_ *warp, lane int) uint64 { return uint64(^uint32(2<<lane - 1)) }},
	"%lanemask_ge": {"u32", func(_ *warp, lane int) uint64 { return uint64(^uint32(1<<lane - 1)) }},

	"%dynamic_smem_size": {"u32", func(w *warp, _ int) uint64 { return uint64(w.cta.launch.grid.Shared) }},
	"%total_smem_size":   {"u32", func(w *warp, _ int) uint64 { return uint64(len(w.cta.shared.data)) }},

	// Without clusters every block is one of its own.
	"%cluster_ctarank":     {"u32", func(*warp, int) uint64 { return 0 }},
	"%cluster_nctarank":    {"u32", func(*warp, int) uint64 { return 1 }},
	"%is_explicit_cluster": {"pred", nil},
}

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

// specialSlot returns the slot of a special register.
func (c *compiler) specialSlot(a *argText, t typ) int {
	read, of := func(*warp, int) uint64 { return 0 }, ""
	if s, ok := specials[a.name]; ok && s.read != nil {
		read, of = s.read, s.typ
	} else if n := len(a.name); n > 2 && a.name[n-2] == '.' && a.name[n-1] >= 'w' && a.name[n-1] <= 'z' {
		if f, ok := dimensional[a.name[:n-2]]; ok {
			axis := int(a.name[n-1] - 'x')
			of = "u32"
			read = func(w *warp, lane int) uint64 {
				if axis < 0 || axis > 2 {
					return 0
				}
				return uint64(uint32(f(w, lane, axis)))
			}
		}
	}
	if of == "" {
		if c.in.lookup(a.name) == nil && c.labelOrFunc(a.name) {
			c.failAt(a, "%s is code; a register or a constant is wanted", clip(a.name))
		}
		c.failAt(a, "%s is not declared", clip(a.name))
	}
	if c.in.op != "mov" && c.in.op != "cvt" {
		c.failAt(a, "%s is a special register: mov it to another first", a.name)
	}
	if !fits(types[of], t) {
		c.failAt(a, "%s is a .%s, a %v is wanted", a.name, of, t)
	}
	if s, ok := c.spec[a.name]; ok {
		return s
	}
	s := c.newSlot()
	// A clock is read when it is used; all others stay what they are.
	if a.name == "%clock" || a.name == "%clock64" || a.name == "%clock_hi" {
		c.ins.before = append(c.ins.before, func(w *warp, _ uint32) {
			for i := range 32 {
				w.r[s][i] = read(w, i)
			}
		})
		return s
	}
	c.spec[a.name] = s
	c.prog.reads = append(c.prog.reads, special{s, read})
	return s
}

func (c *compiler) labelOrFunc(name string) bool {
	return c.in.label(name) != nil || c.mod.text.globals.funcs[name] != nil
}

func popcount(m uint32) int { return bits.OnesCount32(m) }
