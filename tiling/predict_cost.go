package tiling

import "math"

// costs are seconds by resource.
type costs map[Resource]float64

// hit is the part of repeated passes over size bytes that L1 or L2 of so many bytes
// serves: a line survives if none of the misses of a pass falls on it, as if victims
// were chosen at random, hit = exp(-(1-hit)*size/cache). That is 1 up to the size of the
// cache, .42 at one and a half times, .2 at twice, .06 at three times; what is measured
// is closer to that than to the 0 of a cache that forgets the oldest line.
func hit(size, cache float64) float64 {
	if size <= cache {
		return 1
	}
	h := 0.0
	for range 50 {
		h = math.Exp(-(1 - h) * size / cache)
	}
	return h
}

// kept is hit for L3, which keeps a part of what is too large for it. Read bandwidths
// of one to four times its size show cache/size.
func kept(size, cache float64) float64 { return min(1, cache/max(1, size)) }

// share is from which level bytes come.
type share struct{ l2, l3, memory float64 } // the rest from L1

// from returns where bytes are found that were last used so many bytes ago.
func (h *Hardware) from(ago float64) share {
	h1, h2, h3 := hit(ago, float64(h.Caches.L1)), hit(ago, float64(h.Caches.L2)), kept(ago, float64(h.Caches.L3))
	h2 = max(h1, h2)
	h3 = max(h2, h3)
	return share{h2 - h1, h3 - h2, 1 - h3}
}

// A pattern is how bytes follow each other.
type pattern int

const (
	streamed pattern = iota // along lines
	inPieces                // a few lines on each page
	aliased                 // the same, with rows a power of two apart
)

// patternOf returns how a panel of a matrix lies whose rows are so many bytes apart.
func patternOf(stride int) pattern {
	switch {
	case stride%pageBytes == 0 && stride > 0:
		return aliased
	case stride > pageBytes:
		return inPieces
	}
	return streamed
}

const pageBytes = 4096

// reads adds what it takes to read bytes that were used so many bytes ago.
func (c costs) reads(h *Hardware, bytes, ago float64, how pattern) {
	f := h.from(ago)
	rate := func(b *Bandwidth) float64 { return [...]float64{b.Read, b.ReadPieces, b.ReadAliased}[how] }
	c[L2] += bytes * f.l2 / rate(&h.L2)
	c[L3] += bytes * f.l3 / rate(&h.L3)
	c[Memory] += bytes * f.memory / rate(&h.Memory)
}

// writes adds what it takes to write bytes, or to change them: a line is fetched
// either way.
func (c costs) writes(h *Hardware, bytes, ago float64, how pattern) {
	f := h.from(ago)
	rate := func(b *Bandwidth) float64 { return [...]float64{b.Write, b.WritePieces, b.WriteAliased}[how] }
	c[L2] += bytes * f.l2 / rate(&h.L2)
	c[L3] += bytes * f.l3 / rate(&h.L3)
	c[Memory] += bytes * f.memory / rate(&h.Memory)
}

func (c costs) total() float64 {
	sum := 0.0
	for _, r := range Resources { // in order: sums of floats depend on it
		sum += c[r]
	}
	return sum
}

func (c costs) add(d costs, part float64) {
	for r, x := range d {
		c[r] += part * x
	}
}

// beside adds work that goes on at the same time as what is in c: all of the longer
// of the two shows, and so much of the other.
func (c costs) beside(d costs, shown float64) {
	if a, b := c.total(), d.total(); a >= b {
		c.add(d, shown)
		return
	}
	for r := range c {
		c[r] *= shown
	}
	c.add(d, 1)
}

// A bill is what one thread does. What kernels wait for while they compute is apart
// from what nothing goes on beside.
type bill struct {
	kernel  costs // instructions of the register kernels
	near    costs // what they stream from L2
	far     costs // from L3 and memory
	results costs // what they write
	apart   costs // copies, calls, epilogues
}

// cost counts what one thread does and waits for, and then shares it out.
func (p *Plan) cost(h *Hardware) costs {
	b := &bill{costs{}, costs{}, costs{}, costs{}, costs{}}
	switch p.Loop {
	case AxpyLoop:
		p.wide(h, b)
	case DotLoop:
		p.dot(h, b)
	case TileLoop:
		p.tiles(h, b)
		p.operands(h, b)
	default:
		p.portable(h, b)
	}
	c := b.kernel
	c.beside(b.near, shownNear)
	c.beside(b.far, shownFar)
	c.add(b.results, 1)
	c.add(b.apart, 1)
	if p.EpilogueCycles > 0 {
		c[Epilogue] += float64(p.M) * float64(ceilDiv(p.N, max(1, p.VL))) * p.EpilogueCycles / h.Clock
	}
	p.sharing(h, c)
	if p.Small {
		c[Overhead] += smallCycles / h.Clock
	} else {
		c[Overhead] += productCycles / h.Clock
	}
	return c
}

// tiles adds what the register kernels take with everything in L1.
func (p *Plan) tiles(h *Hardware, b *bill) {
	k, kb := float64(p.K), float64(p.kblocks())
	p.eachTile(func(mr, nv, tiles int) {
		n := float64(tiles)
		step := p.steps(h, b.kernel, mr, nv, n*k)
		// Stores of one tile overlap with the steps of the next.
		stores := float64(mr*nv*p.VL*p.Size) / h.L1.Write
		b.kernel[Overhead] += n * kb * (max(0, stores-k/kb*step) + tileCycles/h.Clock)
	})
	calls := float64(p.Vecs.Count*p.blocks()) * kb * max(1, float64(ceilDiv(p.TilesPerBlock, max(1, p.TilesPerCall))))
	b.apart[Overhead] += calls * callCycles / h.Clock
}

// steps adds n steps of a kernel that has mr x nv sums and loads mr+nv registers for
// each, and returns the seconds of one.
func (p *Plan) steps(h *Hardware, c costs, mr, nv int, n float64) float64 {
	fma := float64(mr*nv) * 2 * float64(p.VL) / h.Ceiling(p.Size)
	loads := float64((mr+nv)*p.VL*p.Size) / h.L1.Read
	latency := fmaLatency / h.Clock
	step := max(fma, loads, latency)
	c[FMA] += n * fma
	if latency == step {
		c[Latency] += n * (step - fma)
	} else {
		c[Loads] += n * (step - fma)
	}
	return step
}

// eachTile calls f for the up to four shapes of tiles, with how many there are.
func (p *Plan) eachTile(f func(mr, nv, tiles int)) {
	for _, r := range p.Rows.sizes() {
		for _, v := range p.Vecs.sizes() {
			if r.count*v.count > 0 {
				f(r.size, v.size, r.count*v.count)
			}
		}
	}
}

type sized struct{ size, count int }

// sizes returns the two sizes of pieces and how many there are of each.
func (c Cuts) sizes() [2]sized {
	return [2]sized{{c.Size, c.Tall}, {c.Size - 1, c.Count - c.Tall}}
}

// operands adds copies and what the memory below L1 takes.
func (p *Plan) operands(h *Hardware, b *bill) {
	const line = 64
	size := float64(p.Size)
	m, n, k := float64(p.M), float64(p.N), float64(p.K)
	blocks, groups, kb := float64(p.blocks()), float64(p.groups()), float64(p.kblocks())
	panels, tiles := float64(p.Vecs.Count), float64(p.Rows.Count)
	kc, slab := k/kb, min(k, float64(max(1, p.Slab)))
	wide := float64(p.Vecs.total() * p.VL) // columns, with empty lanes
	width := float64(p.Vecs.Size * p.VL)
	tall := float64(p.Rows.Size)

	// How large what parts of the loops go over is.
	packedB := slab * wide / groups * size
	all := m*k*float64(p.SizeA) + k*n*float64(p.SizeB) + m*n*float64(p.SizeC)
	if p.PackB {
		all += packedB
	}
	blockRows := min(m, float64(p.TilesPerBlock)*tall)
	panel, tileC := kc*width*size, tall*width*float64(p.SizeC)
	tileA, blockA, bytesA := tall*kc*size, blockRows*kc*size, m*k*size
	howA := streamed
	if !p.PackA && p.A == ByColumns { // a line for each step of a tile
		lines := line + (tall-1)*size
		tileA, blockA, bytesA = kc*lines, float64(p.TilesPerBlock)*kc*lines, k*tiles*lines
		howA = patternOf(p.StrideA)
	}

	// A: from its place or its copy, once for each panel.
	if p.PackA {
		p.copied(h, b, m*k, groups, p.SizeA, all, blockA, p.A, p.StrideA)
	} else {
		b.stream(h, bytesA, all, howA)
		b.stream(h, bytesA*(groups-1), blockA*kb+packedB, howA)
	}
	b.stream(h, bytesA*max(0, panels-groups), blockA+2*panel, streamed)

	// B: once from where it lies, then for each block of A, then for each tile.
	bytesB := k * wide * size
	howB := streamed
	if p.PackB && !p.Prepacked {
		p.copied(h, b, k*wide, 1, p.SizeB, all, min(all, packedB), p.B, p.StrideB)
	} else {
		if !p.Prepacked && patternOf(p.StrideB) == aliased {
			howB = aliased
		}
		b.stream(h, bytesB, all, howB)
	}
	between := packedB + blockRows*slab*size + blockRows*n/groups*float64(p.SizeC)
	b.stream(h, bytesB*(blocks-1), between, howB)
	again := bytesB * max(0, tiles-blocks)
	if howB == aliased { // a set of L1 has a line for each of its ways: nothing stays
		b.far.reads(h, again, float64(h.Caches.L2), aliased)
	} else {
		b.stream(h, again, panel+tileA+tileC, streamed)
	}

	// C: stored after the first k-block, changed after each further one.
	bytesC := m * n * float64(p.SizeC)
	b.results.writes(h, bytesC, all, streamed)
	b.results.writes(h, (kb-1)*bytesC, panel*panels/groups+blockA+blockRows*n/groups*float64(p.SizeC), streamed)
	if patternOf(p.StrideC) == aliased { // slower than the multiply-adds if k is small
		slow := costs{}
		slow.writes(h, bytesC*kb, all, aliased)
		if t, beside := slow.total(), b.kernel.total()+b.results.total(); t > beside {
			b.results.add(slow, (t-beside)/t)
		}
	}
}

// stream adds bytes that kernels read while they compute, if their pages are known.
func (b *bill) stream(h *Hardware, bytes, ago float64, how pattern) {
	c := costs{}
	c.reads(h, bytes, ago, how)
	far := b.far
	if ago > mapped {
		far = b.apart
	}
	b.near[L2] += c[L2]
	far[L3] += c[L3]
	far[Memory] += c[Memory]
}

// copied adds so many copies of so many elements of size bytes each: read where they
// were used so many bytes ago, and written to where they will be used.
func (p *Plan) copied(h *Hardware, b *bill, elements, times float64, size int, ago, to float64, way Way, stride int) {
	if times == 0 {
		return
	}
	cycles, how := copyCycles, patternOf(stride)
	if way != ByRows {
		cycles, how = transposeCycles, max(inPieces, how) // a line of each of many rows in turn
	}
	b.apart[Packing] += times * elements / float64(p.VL) * cycles / h.Clock
	b.apart.reads(h, times*elements*float64(size), ago, how)
	b.apart.writes(h, times*elements*float64(p.Size), to, streamed)
}

// sharing divides what a thread does among threads.
func (p *Plan) sharing(h *Hardware, c costs) {
	t := float64(max(1, min(p.Threads, max(1, h.Cores))))
	if t == 1 {
		return
	}
	for r := range c {
		if r != Memory {
			c[r] /= t
		}
	}
	if together := h.Together / h.Memory.Read; together > 0 {
		c[Memory] /= min(t, together)
	}
	c[Overhead] += wake
}
