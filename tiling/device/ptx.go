package device

import (
	"fmt"
	"strconv"
	"strings"
)

// Mix counts the instructions of a loop of PTX. Moves between registers are not among them:
// the driver's compiler renames registers and emits nothing for a move.
type Mix struct {
	MMA, FMA, Loads, Copies, Others int
	Unit                            Unit
	FMAs                            int // of one mma, by all lanes together
	Wavefronts                      int // of Loads
}

// work ranks loops: multiply-adds of a lane, and loads of what is multiplied.
func (m Mix) work() int {
	w := m.FMA + m.Loads
	if m.MMA > 0 {
		w += m.MMA * m.FMAs / 32
	}
	return w
}

// Instructions is how many there are.
func (m Mix) Instructions() int { return m.MMA + m.FMA + m.Loads + m.Copies + m.Others }

// body is the text of a kernel by lines, of which some are instructions.
type body struct {
	op     []string // "" for a line that is none
	args   []string
	guard  []bool
	labels map[string]int
}

func parse(text string) body {
	b := body{labels: map[string]int{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		op, args, guard := "", "", false
		switch {
		case strings.HasSuffix(line, ":"):
			b.labels[strings.TrimSuffix(line, ":")] = len(b.op)
		case line == "" || line[0] == '.' || line[0] == '{' || line[0] == '}' || strings.HasPrefix(line, "//"):
		default:
			if line[0] == '@' {
				_, line, _ = strings.Cut(line, " ")
				guard = true
			}
			op, args, _ = strings.Cut(strings.TrimSuffix(line, ";"), " ")
		}
		b.op, b.args, b.guard = append(b.op, op), append(b.args, args), append(b.guard, guard)
	}
	return b
}

// target returns the line that line i jumps to, or -1.
func (b *body) target(i int) int {
	if b.op[i] == "bra" || b.op[i] == "bra.uni" {
		if at, ok := b.labels[strings.TrimSpace(b.args[i])]; ok {
			return at
		}
	}
	return -1
}

// loops returns the lines of the loops, first and last, in the order of their ends.
func (b *body) loops() (ls [][2]int) {
	for i := range b.op {
		if at := b.target(i); at >= 0 && at < i {
			ls = append(ls, [2]int{at, i})
		}
	}
	return ls
}

// mix counts the lines of a loop, its jump back aside.
func (b *body) mix(l [2]int) (m Mix) {
	for i := l[0]; i < l[1]; i++ {
		op := b.op[i]
		switch {
		case op == "" || strings.HasPrefix(op, "mov."):
		case strings.HasPrefix(op, "mma."):
			m.MMA++
			m.Unit, m.FMAs = unitOf(op)
		case strings.HasPrefix(op, "fma."):
			m.FMA++
		case strings.HasPrefix(op, "ldmatrix."), strings.HasPrefix(op, "ld.shared"):
			m.Loads++
			m.Wavefronts += wavefronts(op)
		case strings.HasPrefix(op, "cp.async.c") && !strings.HasPrefix(op, "cp.async.commit"):
			m.Copies++
		default:
			m.Others++
		}
	}
	if m.MMA == 0 && m.FMA > 0 {
		m.Unit, m.FMAs = FMA32, 32
	}
	return m
}

// MainLoop counts the innermost loop that has at least half of the products and loads of the
// busiest loop. It leaves out inner loops, except those that gather its operands.
func MainLoop(text string) Mix {
	b := parse(text)
	m, _ := b.main()
	return m
}

func (b *body) main() (best Mix, at [2]int) {
	ls := b.loops()
	most := 0
	for _, l := range ls {
		most = max(most, b.mix(l).work())
	}
	for _, l := range ls {
		if m := b.mix(l); m.work() > 0 && 2*m.work() >= most && (at[1] == 0 || l[1]-l[0] < at[1]-at[0]) {
			best, at = m, l
		}
	}
	return best, at
}

// unitOf returns what an mma is of, and its multiply-adds. For a sparse product half is
// done.
func unitOf(op string) (Unit, int) {
	var m, n, k, sparse int
	var types []string
	for _, f := range strings.Split(op, ".") {
		if c, _ := fmt.Sscanf(f, "m%dn%dk%d", &m, &n, &k); c == 3 {
			continue
		}
		switch f {
		case "sp", "sp::ordered_metadata":
			sparse = 1
		case "f64", "f32", "f16", "bf16", "tf32", "s32", "s8", "u8", "e4m3", "e5m2":
			types = append(types, f)
		}
	}
	fmas := m * n * k >> sparse
	if len(types) < 2 {
		return Cores, fmas
	}
	switch types[1] {
	case "bf16", "f16":
		if types[0] == "f16" {
			return HalfF16, fmas
		}
		return Half, fmas
	case "tf32":
		return TF32, fmas
	case "s8", "u8":
		return Byte, fmas
	case "e4m3", "e5m2":
		return Float8, fmas
	case "f64":
		return Double, fmas
	}
	return Cores, fmas
}

// wavefronts returns how many turns of the banks a load of a warp without conflicts takes,
// as the emulator counts them: one for a matrix of 8 rows, or 128 bytes.
func wavefronts(op string) int {
	lane := 1
	for _, f := range strings.Split(op, ".") {
		switch {
		case len(f) == 2 && (f[0] == 'x' || f[0] == 'v') && f[1] >= '1' && f[1] <= '8':
			lane *= int(f[1] - '0')
		case len(f) > 1 && strings.ContainsRune("bfsu", rune(f[0])) && !strings.HasPrefix(op, "ldmatrix."):
			if bits, err := strconv.Atoi(f[1:]); err == nil {
				lane *= max(1, bits/32)
			}
		}
	}
	return lane
}

// Counted fills in what the text of kernel k tells: its units, its main loop, and the
// instructions behind it. Loops in the main loop gather operands, one element for each store to shared
// memory. They run as many times as the tile has elements. results is how many results a thread of it stores
// at a time.
func (k Kernel) Counted(text string, results int) (Kernel, error) {
	b := parse(text)
	m, at := b.main()
	if m.work() == 0 {
		return k, fmt.Errorf("%s: its text has no main loop", k.Name)
	}
	k.Unit = m.Unit
	k.Loop = Loop{FMAs: float64(m.MMA+m.FMA) * float64(m.FMAs), Instructions: float64(m.Instructions()),
		Wavefronts: float64(m.Wavefronts), Copies: float64(m.Copies)}
	if m.Unit == Cores {
		k.Loop.FMAs = 0
	} else if m.MMA > 0 {
		k.Loop.FMAs = float64(m.MMA) * float64(m.FMAs)
	}
	var gather, loops, stores int
	for _, l := range b.loops() {
		if l[0] > at[0] && l[1] < at[1] {
			gather += b.mix(l).Instructions()
			loops++
			for _, op := range b.op[l[0]:l[1]] {
				if strings.HasPrefix(op, "st.shared") {
					stores++
				}
			}
		}
	}
	if t := k.Tile; stores > 0 && k.check() == nil {
		times := float64(t.StageBytes(1)) / float64(t.Threads()*stores)
		k.Loop.Instructions += max(0, times-1) * float64(gather)
		k.Loop.Waits = times * float64(loops)
	}
	for _, l := range b.loops() {
		if l[0] > at[1] {
			if n, ok := b.way(l); ok {
				k.End = float64(n) / float64(max(1, results))
			}
		}
	}
	return k, nil
}

// way returns the least instructions through a loop in which results are stored, as vectors if
// it has such a store.
func (b *body) way(l [2]int) (least int, ok bool) {
	const never = 1 << 30
	wide := false
	for i := l[0]; i < l[1]; i++ {
		wide = wide || strings.HasPrefix(b.op[i], "st.global.v")
	}
	store := "st.global"
	if wide {
		store = "st.global.v"
	}
	// From the head without a store, and with one.
	n := l[1] - l[0] + 1
	dist := make([][2]int, n+1)
	for i := range dist {
		dist[i] = [2]int{never, never}
	}
	dist[0][0] = 0
	for i := range n {
		op := b.op[l[0]+i]
		cost, to := 0, -1
		if op != "" && !strings.HasPrefix(op, "mov.") {
			cost = 1
		}
		if t := b.target(l[0] + i); t > l[0]+i && t <= l[1] {
			to = t - l[0]
		}
		for had, d := range dist[i] {
			if d == never {
				continue
			}
			if strings.HasPrefix(op, store) {
				had = 1
			}
			if to >= 0 {
				dist[to][had] = min(dist[to][had], d+cost)
			}
			if op != "bra.uni" && (op != "bra" || b.guard[l[0]+i]) {
				dist[i+1][had] = min(dist[i+1][had], d+cost)
			}
		}
	}
	return dist[n-1][1], dist[n-1][1] < never
}
