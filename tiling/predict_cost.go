package tiling

import (
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// A bill is what one thread does. Waits of kernels while they compute are separate from
// waits next to which nothing goes on.
type bill struct {
	kernel  cost.Spent // instructions of the register kernels
	near    cost.Spent // what they stream from L2
	far     cost.Spent // from L3 and memory
	hidden  cost.Spent // the same, fetched long before it is wanted
	results cost.Spent // what they write
	apart   cost.Spent // copies, calls, epilogues
}

// cost counts what one thread does and waits for, and then shares it out.
func (p *Plan) cost(m *machine.Machine) cost.Spent {
	b := &bill{}
	u := m.Of(p.ISA)
	switch p.Loop {
	case AxpyLoop:
		p.wide(m, u, b)
	case DotLoop:
		p.dot(m, u, b)
	case TileLoop:
		p.tiles(m, u, b)
		p.operands(m, u, b)
	default:
		p.portable(m, b)
	}
	c := b.kernel
	c.Beside(&b.near, shownNear)
	c.Beside(&b.far, shownFar)
	c.Beside(&b.hidden, 0)
	c.Add(&b.results, 1)
	c.Add(&b.apart, 1)
	if p.EpilogueCycles > 0 {
		c[cost.Epilogue] += float64(p.M) * float64(ceilDiv(p.N, max(1, p.VL))) * p.EpilogueCycles * 2 / u.FMA / m.Clock
	}
	if p.Fused {
		c[cost.Overhead] += (fusedCycles + float64(p.Reductions)*reducedCycles) / m.Clock
	}
	p.sharing(m, &c)
	if p.Small {
		c[cost.Overhead] += smallCycles / m.Clock
	} else {
		c[cost.Overhead] += productCycles / m.Clock
	}
	return c
}

// tiles adds what the register kernels take with everything in L1.
func (p *Plan) tiles(m *machine.Machine, u *machine.Units, b *bill) {
	k, kb := float64(p.K), float64(p.kblocks())
	for _, r := range p.Rows.sizes() {
		for _, v := range p.Vecs.sizes() {
			n := float64(r.count * v.count)
			if n == 0 {
				continue
			}
			step := p.steps(m, u, &b.kernel, r.size, v.size, n*k)
			// Stores of one tile overlap with the steps of the next.
			stores := float64(r.size*v.size) / u.Stores / m.Clock
			b.kernel[cost.Overhead] += n * kb * (max(0, stores-k/kb*step) + m.Tail/m.Clock)
		}
	}
	calls := float64(p.Vecs.Count*p.blocks()) * kb * max(1, float64(ceilDiv(p.TilesPerBlock, max(1, p.TilesPerCall))))
	b.apart[cost.Overhead] += calls * callCycles / m.Clock
}

// widens reports whether kernels widen what they read of B.
func (p *Plan) widens() bool { return p.Narrow && !p.PackB }

// stepRest is the instructions of a step of k that neither load nor multiply: three
// pointers, a fetch, and the end of the loop.
const stepRest = 6

// steps adds n steps of a kernel that has mr x nv sums and loads mr+nv registers for
// each, and returns the seconds of one. An instruction that does several steps loads A's
// rows for all of them at once, and the next waits as long for its sums.
func (p *Plan) steps(m *machine.Machine, u *machine.Units, c *cost.Spent, mr, nv int, n float64) float64 {
	s := p.Step(m)
	atOnce := float64(s.AtOnce)
	fma := float64(mr*nv) / s.Rate / m.Clock
	loads := (float64(mr)/atOnce + float64(nv)) / u.Loads / m.Clock
	issue := float64(mr*nv+mr+nv+stepRest) / u.Issue / m.Clock
	if p.widens() {
		slots := u.WidenF16
		if p.BF16 {
			slots = u.WidenBF16
		}
		fma += float64(nv) * slots / s.Rate / m.Clock
		issue += float64(nv) / u.Issue / m.Clock
	}
	if s.AtOnce > 1 { // loads of tiles are an instruction a row, products one a tile
		issue = (float64(ceilDiv(mr, s.AtOnce)*nv+mr+stepRest)/atOnce + float64(nv)) / u.Issue / m.Clock
	}
	latency := s.Latency / atOnce / m.Clock
	step := max(fma, loads, issue, latency)
	c[cost.FMA] += n * fma
	if latency == step {
		c[cost.Latency] += n * (step - fma)
	} else {
		c[cost.Loads] += n * (step - fma)
	}
	return step
}

type sized struct{ size, count int }

// sizes returns the two sizes of pieces and how many there are of each.
func (c Cuts) sizes() [2]sized {
	return [2]sized{{c.Size, c.Tall}, {c.Size - 1, c.Count - c.Tall}}
}

// operands adds copies and what the memory below L1 takes.
func (p *Plan) operands(m *machine.Machine, u *machine.Units, b *bill) {
	size := float64(p.Size)
	rows, n, k := float64(p.M), float64(p.N), float64(p.K)
	blocks, groups, kb := float64(p.blocks()), float64(p.groups()), float64(p.kblocks())
	panels, tiles := float64(p.Vecs.Count), float64(p.Rows.Count)
	kc, slab := k/kb, min(k, float64(max(1, p.Slab)))
	wide := float64(p.Vecs.total() * p.VL) // columns, with empty lanes
	width := float64(p.Vecs.Size * p.VL)
	tall := float64(p.Rows.Size)

	// How large what parts of the loops go over is.
	packedB := slab * wide / groups * size
	all := rows*k*float64(p.SizeA) + k*n*float64(p.SizeB) + rows*n*float64(p.SizeC)
	if p.PackB {
		all += packedB
	}
	blockRows := min(rows, float64(p.TilesPerBlock)*tall)
	panel, tileC := kc*width*size, tall*width*float64(p.SizeC)
	tileA, blockA, bytesA := tall*kc*size, blockRows*kc*size, rows*k*size
	howA := pattern{}
	if !p.PackA && p.A == ByColumns { // a line for each step of a tile
		lines := line + (tall-1)*size
		tileA, blockA, bytesA = kc*lines, float64(p.TilesPerBlock)*kc*lines, k*tiles*lines
		howA = pattern{piece: int(tall * size), stride: p.StrideA}
	}

	// A: from its place or its copy, once for each panel.
	if p.PackA {
		lies := pattern{piece: int(kc) * p.SizeA, stride: p.StrideA}
		if p.A == ByColumns {
			lies.piece = int(blockRows) * p.SizeA
		}
		p.copied(m, u, b, rows*k, groups, p.SizeA, all, blockA, p.A, lies)
	} else {
		b.stream(m, bytesA, all, howA)
		b.stream(m, bytesA*(groups-1), blockA*kb+packedB, howA)
	}
	b.stream(m, bytesA*max(0, panels-groups), blockA+2*panel, howA)
	if p.crowded(m) {
		b.near[cost.L2] += rows * k * panels * line / m.Caches[machine.L2].Read
	}

	// B: once from where it lies, then for each block of A, then for each tile.
	bytesB := k * wide * size
	if p.widens() {
		bytesB = k * wide * float64(p.SizeB)
		panel = panel / size * float64(p.SizeB)
	}
	lies := pattern{piece: int(width) * p.SizeB, stride: p.StrideB}
	if p.B == ByColumns {
		lies.piece = int(kc) * p.SizeB
	}
	howB := lies
	if p.PackB || p.widens() {
		howB = pattern{}
	}
	between := packedB + blockRows*slab*size + blockRows*n/groups*float64(p.SizeC)
	switch {
	case !p.PackB && !p.Narrow:
		b.stream(m, bytesB, all, howB)
		b.stream(m, bytesB*(blocks-1), between, howB)
	default: // each panel is fetched while the one before it is multiplied
		first := min(all, packedB)
		if p.Prepacked && (!p.Narrow || !p.PackB) {
			first = all
		} else {
			p.copied(m, u, b, k*wide, 1, p.SizeB, all, first, p.B, lies)
		}
		howB.moves(&b.hidden, m, bytesB, first, reads)
		howB.moves(&b.hidden, m, bytesB*(blocks-1), between, reads)
	}
	howB.alone = true
	b.stream(m, bytesB*max(0, tiles-blocks), panel+tileA+tileC, howB)

	// C: stored after the first k-block, changed after each further one.
	bytesC := rows * n * float64(p.SizeC)
	howC := pattern{piece: int(width) * p.SizeC, stride: p.StrideC}
	if p.Stream {
		b.results[cost.Memory] += bytesC / m.Stream
	} else {
		howC.moves(&b.results, m, bytesC, all, writes)
	}
	howC.moves(&b.results, m, (kb-1)*bytesC, panel*panels/groups+blockA+blockRows*n/groups*float64(p.SizeC), writes)
	// Stores wait in a queue while the next tile is computed.
	if t, beside := b.results.Total(), b.kernel.Total(); t > 0 {
		for r := range b.results {
			b.results[r] *= max(shownFar, 1-beside/t)
		}
	}
}

// crowded reports whether the lines of A that a tile reads, one of each of its rows, fall into
// one set of L1 and fill it. Together with B's lines they then evict each other before the next step
// reads on in them. It is used for a single tile, whose copy is made once and costs next to nothing.
// With many tiles, of f32 and f64 with n = 1024 and 2048, a copy gained nothing and lost up to 5 %.
func (p *Plan) crowded(m *machine.Machine) bool {
	ways := m.Caches[machine.L1].Ways
	return !p.PackA && p.A == ByRows && p.StrideA%page == 0 && ways > 0 && p.Rows.Count == 1 && p.Rows.Size >= ways
}

// stream adds bytes that kernels read while they compute. A core cannot prefetch data
// that comes in pieces from many pages. If the bytes themselves are near, it looks their
// pages up as it executes.
func (b *bill) stream(m *machine.Machine, bytes, ago float64, how pattern) {
	var c cost.Spent
	how.moves(&c, m, bytes, ago, reads)
	far := &b.far
	if !how.inOrder() {
		far = &b.apart
	}
	if how.alone && how.aliased() { // lines of steps to come push out those of this one
		b.apart[cost.L2] += c[cost.L2]
	} else {
		b.near[cost.L2] += c[cost.L2]
	}
	far[cost.L3] += c[cost.L3]
	far[cost.Memory] += c[cost.Memory]
	if how.alone && how.since(m, ago) <= float64(m.Pages.Far) {
		far = &b.near
	}
	far[cost.Pages] += c[cost.Pages]
}

// copied adds so many copies of so many elements of size bytes each. They are read from
// where they were used so many bytes ago, and written to where they will be used.
func (p *Plan) copied(m *machine.Machine, u *machine.Units, b *bill, elements, times float64, size int, ago, to float64, way Way, how pattern) {
	if times == 0 {
		return
	}
	cycles := 1 / u.Loads
	if way == ByRows {
		cycles = max(cycles, 1/u.Stores)
	} else { // log2(lanes) shuffles, a load, a store, and two instructions for an address
		shuffles := 0.0
		for n := 1; n < p.VL; n *= 2 {
			shuffles++
		}
		cycles = max(cycles, 1/u.Stores, shuffles/max(u.Shuffle, u.FMA/2), (shuffles+4)/u.Issue)
	}
	b.apart[cost.Packing] += times * elements / float64(p.VL) * cycles / m.Clock
	how.moves(&b.apart, m, times*elements*float64(size), ago, reads)
	pattern{}.moves(&b.apart, m, times*elements*float64(p.Size), to, writes)
}

// sharing divides what a thread does among threads.
func (p *Plan) sharing(m *machine.Machine, c *cost.Spent) {
	t := float64(max(1, min(p.Threads, max(1, m.Cores))))
	if t == 1 {
		return
	}
	for r := range c {
		if cost.Resource(r) != cost.Memory {
			c[r] /= t
		}
	}
	if together := m.Together / m.Caches[machine.Memory].Read; together > 0 {
		c[cost.Memory] /= min(t, together)
	}
	c[cost.Overhead] += wake
}
