package tiling

import "github.com/tilesmith/tilesmith/tiling/machine"

// Products with few rows or columns: what takes their time is reading the big operand,
// once. Its rows, or columns, are long, so that the prefetchers follow them.

// wide adds what wide kernels take, which go along KC rows of the big operand at a
// time, and keep the sums of a chunk in L1 meanwhile.
func (p *Plan) wide(m *machine.Machine, u *machine.Units, b *bill) {
	kb, vecs := float64(p.kblocks()), float64(ceilDiv(p.Long, p.VL))
	for _, r := range p.Rows.sizes() {
		if r.size*r.count == 0 {
			continue
		}
		tiles := vecs / float64(p.Tile) * float64(r.count)
		p.steps(m, u, &b.kernel, r.size, p.Tile, tiles*float64(p.K))
		// A tile fetches its sums and stores them after each k-block.
		sums := float64(r.size * p.Tile * p.VL * p.Size)
		b.kernel[atOverhead] += tiles * kb * (sums/m.Caches[machine.L1].Write + sums/m.Caches[machine.L1].Read + m.Tail/m.Clock)
	}
	p.big(m, b)
	if p.Columns { // the sums are a transpose of what is wanted
		b.apart[atOverhead] += float64(p.M) * float64(p.N) * scatterCycles / m.Clock
	}
}

// dot adds what dot kernels take, whose lanes are along k.
func (p *Plan) dot(m *machine.Machine, u *machine.Units, b *bill) {
	kb := float64(p.kblocks())
	steps := float64(ceilDiv(ceilDiv(p.K, p.kblocks()), p.VL)) * kb
	tiles := float64(p.Long) / float64(p.Tile)
	for _, r := range p.Rows.sizes() {
		if r.size*r.count == 0 {
			continue
		}
		n := tiles * float64(r.count)
		p.steps(m, u, &b.kernel, p.Tile, r.size, n*steps)
		b.kernel[atOverhead] += n * kb * (float64(p.Tile*r.size)*joinCycles + m.Tail) / m.Clock
	}
	p.big(m, b)
	// The small operand is read again for each tile.
	little := float64(p.Rows.Size) * float64(p.K) / kb * float64(p.Size)
	b.stream(m, float64(p.Rows.total())*float64(p.K)*float64(p.Size)*tiles, little, pattern{})
	if p.CopyLittle {
		p.copied(m, u, b, float64(p.Rows.total())*float64(p.K), 1, p.Size, little, little, ByColumns, pattern{})
	}
}

// big adds what both kinds read and write.
func (p *Plan) big(m *machine.Machine, b *bill) {
	size, kb := float64(p.Size), float64(p.kblocks())
	small, k, long := float64(p.Rows.total()), float64(p.K), float64(p.Long)
	chunks := float64(ceilDiv(p.Long, max(1, p.Chunk)))
	b.apart[atOverhead] += chunks * kb * float64(p.Rows.Count) * callCycles / m.Clock

	all := small*k*size + long*k*size + small*long*float64(p.SizeC)
	b.stream(m, long*k*size, all, pattern{})
	b.stream(m, long*k*size*float64(p.Rows.Count-1), long/chunks*k/kb*size, pattern{})
	b.results.writes(m, small*long*float64(p.SizeC), all, pattern{})
}

// portable adds what the code in Go takes: it keeps the ceiling of compiled Go busy,
// which is far below what caches deliver.
func (p *Plan) portable(m *machine.Machine, b *bill) {
	b.kernel[atFMA] += 2 * float64(p.M) * float64(p.N) * float64(p.K) / m.Ceiling(p.ISA, p.Size)
	b.stream(m, p.Bytes(), p.Bytes(), pattern{})
}
