package tpp

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/philox"
	"github.com/tilesmith/tilesmith/layout/reduce"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// problem is one call of an equation in the interpreter.
type problem struct {
	p    *plan
	m, n int
	ns   []int // of a chain, the widths
	pad  int
	// stream is the key, the number and the first block of random words.
	stream [3]uint64
	values map[*node][]float64 // of all nodes, one operator after the other
	few    bool                // addresses before a pass
	// draw, if not nil, makes numbers of operands.
	draw func(e int) float64
	// other, if not nil, is run in place of a stage's kernel.
	other map[*stage]*emit.Func
}

// element is where element (i, j) of n is among its numbers.
func (p *problem) element(n *node, i, j int) int {
	switch n.pattern {
	case gemm.FullPattern:
		return i*p.width(n) + j
	case gemm.RowPattern:
		return i
	case gemm.ColumnPattern:
		return j
	}
	return 0
}

// width is how many columns n has, if it has any.
func (p *problem) width(n *node) int {
	if p.ns == nil {
		return p.n
	}
	if n.of != nil {
		n = n.of
	}
	return p.ns[max(0, p.p.space(n))]
}

func (p *problem) size(n *node) (rows, cols int) {
	rows, cols = 1, 1
	if n.pattern == gemm.FullPattern || n.pattern == gemm.RowPattern {
		rows = p.m
	}
	if n.pattern == gemm.FullPattern || n.pattern == gemm.ColumnPattern {
		cols = p.width(n)
	}
	if p.ns != nil {
		if _, ok := p.p.widths.rows[n]; ok {
			rows = p.ns[p.p.depth(n)]
		}
	}
	return rows, cols
}

func round(t dtype.Type, x float64) float64 {
	if !gemm.ElemOf(t).Float() {
		return x
	}
	return gemm.ElemOf(t).Decode(gemm.ElemOf(t).Encode(x))
}

// evaluate computes every node in full before the next. seed makes operands: small integers
// of either sign, or such that every so many is NaN or infinite.
func (p *problem) evaluate(seed int, odd bool) {
	p.values = map[*node][]float64{}
	for k, n := range p.p.nodes {
		rows, cols := p.size(n)
		x := make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				e := i*cols + j
				switch n.kind {
				case operand:
					if n.bits {
						x[e] = float64((e*5 + e/7 + k + seed) / 2 % 2)
						continue
					}
					x[e] = float64((e*7+k*3+seed)%9 - 3)
					if p.draw != nil {
						x[e] = p.draw(e + k)
					}
					if odd && (e+k+seed)%11 == 0 {
						x[e] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[(e+k)/11%3]
					}
					x[e] = round(n.t, x[e])
				case apply:
					var args []reflect.Value
					f := reflect.ValueOf(n.fn)
					for a, of := range n.args {
						args = append(args, goValue(f.Type().In(a), p.values[of][p.element(of, i, j)]))
					}
					x[e] = numeral(f.Call(args)[0])
				case convert:
					of := n.args[0]
					x[e] = round(n.t, p.values[of][p.element(of, i, j)])
				case rowNumber:
					x[e] = float64(i)
				case number:
					x[e] = float64(j)
				case words:
					block := p.stream[2] + uint64(i*((cols+3)/4)+j/4)
					w0, w1, w2, w3 := philox.Words(uint32(block), uint32(block>>32), uint32(p.stream[1]), uint32(p.stream[1]>>32), uint32(p.stream[0]), uint32(p.stream[0]>>32))
					x[e] = float64(int32([4]uint32{w0, w1, w2, w3}[j%4]))
				}
			}
		}
		switch n.kind {
		case rows_:
			x[0] = float64(p.m)
		case cols_:
			x[0] = float64(p.width(n))
		case product:
			p.multiply(n, p.values[n.args[0]], p.values[n.args[1]], x)
		case rowReduce, colReduce:
			for e := range x {
				x[e] = identity(n.op, n.t)
			}
			of := n.args[0]
			rows, cols := p.size(of)
			for i := range rows {
				for j := range cols {
					e, v := p.element(n, i, j), p.values[of][i*cols+j]
					switch n.op {
					case reduce.Sum:
						x[e] += v
					case reduce.Prod:
						x[e] *= v
					case reduce.Max:
						x[e] = max(x[e], v)
					case reduce.Min:
						x[e] = min(x[e], v)
					}
				}
			}
			for e := range x {
				x[e] = round(n.t, x[e])
			}
		}
		p.values[n] = x
	}
}

const (
	rows_ = rows
	cols_ = cols
)

func goValue(t reflect.Type, x float64) reflect.Value {
	switch t {
	case reflect.TypeFor[dtype.BF16]():
		return reflect.ValueOf(dtype.ToBF16(x))
	case reflect.TypeFor[dtype.F16]():
		return reflect.ValueOf(dtype.ToF16(x))
	}
	return reflect.ValueOf(x).Convert(t)
}

func numeral(v reflect.Value) float64 {
	switch x := v.Interface().(type) {
	case dtype.BF16:
		return float64(x.Float32())
	case dtype.F16:
		return float64(x.Float32())
	}
	return v.Convert(reflect.TypeFor[float64]()).Float()
}

// memory holds numbers, rows of them pad apart.
func (p *problem) memory(name string, n *node, values []float64) (*emit.Memory, int) {
	rows, cols := p.size(n)
	size, ld := n.t.Size(), cols
	if n.pattern == gemm.FullPattern {
		ld += p.pad
	}
	m := &emit.Memory{Name: name, Data: make([]byte, max(0, (rows-1)*ld+cols)*size)}
	m.Track()
	for i := range values {
		at := (i/max(1, cols)*ld + i%max(1, cols)) * size
		bits := uint64(int64(values[i]))
		if gemm.ElemOf(n.t).Float() {
			bits = gemm.ElemOf(n.t).Encode(values[i])
		}
		b := make([]byte, size)
		for k := range b {
			b[k] = byte(bits >> (8 * k))
		}
		if err := m.Write(int64(at), b); err != nil {
			panic(err)
		}
	}
	return m, ld * size
}

// kernel is that of a stage.
func (p *problem) kernel(st *stage, lanes, unroll int) *stageKernel {
	k := &stageKernel{plan: p.p, st: st, lanes: lanes, early: kernel.MaxSlots}
	if p.few {
		k.early = 1
	}
	for _, q := range st.passes {
		u := unroll
		if p.p.words != nil && slices.Contains(q.order, p.p.words) {
			u = 4
		}
		k.unroll = append(k.unroll, u)
	}
	return k
}

// run interprets all stages with so many lanes and vectors at once, and compares outputs.
func (p *problem) run(lanes, unroll int) error {
	slots := make([]*emit.Memory, p.p.slots())
	strides := make([]int, len(slots))
	for i, n := range p.p.outs {
		slots[i], strides[i] = p.memory(fmt.Sprintf("out%d", i), n, nil)
		if p.p.outBits[i] {
			slots[i], strides[i] = p.bits(fmt.Sprintf("out%d", i), nil)
		}
	}
	for _, n := range p.p.operands {
		s := p.p.place(n)
		slots[s], strides[s] = p.memory(n.name, n, p.values[n])
		if n.bits {
			slots[s], strides[s] = p.bits(n.name, p.values[n])
		}
		slots[s].ReadOnly = true
	}
	for _, n := range p.p.temps {
		s := p.p.place(n)
		slots[s], strides[s] = p.memory("temp", n, nil)
	}
	for _, st := range p.p.stages {
		if err := p.stage(st, lanes, unroll, slots, strides); err != nil {
			return err
		}
	}
	return p.compareAll(slots, strides)
}

// compareAll compares the outputs, which are the first slots.
func (p *problem) compareAll(slots []*emit.Memory, strides []int) error {
	for i, n := range p.p.outs {
		compare := p.compare
		if p.p.outBits[i] {
			compare = p.compareBits
		}
		if err := compare(n, slots[i], strides[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// stage interprets one stage.
func (p *problem) stage(st *stage, lanes, unroll int, slots []*emit.Memory, strides []int) error {
	k := p.kernel(st, lanes, unroll)
	f, err := k.build("stage")
	if err != nil {
		return err
	}
	if other := p.other[st]; other != nil {
		f = other
	}
	for _, c := range st.cols {
		s := p.p.place(c)
		rows, cols := p.size(c)
		id := make([]float64, rows*cols)
		for i := range id {
			id[i] = identity(c.op, c.t)
		}
		slots[s], strides[s] = p.memory("sums", c, id)
	}
	rows := p.m
	if st.columns {
		rows = 1
	}
	temps := emit.NewMemory("temps", emit.Generic, max(1, len(st.spilled)*p.n*8))
	m := &emit.Machine{MaxSteps: 3_000_000}
	m.Bind("rows", emit.IntWord(int64(rows)))
	m.Bind("cols", emit.IntWord(int64(p.n)))
	m.Bind("tile", emit.PtrTo(temps, 0))
	m.Bind("tileld", emit.IntWord(int64(p.n*8)))
	m.Bind("m32", emit.F32Word(float32(p.m)))
	m.Bind("n32", emit.F32Word(float32(p.n)))
	m.Bind("m64", emit.F64Word(float64(p.m)))
	m.Bind("n64", emit.F64Word(float64(p.n)))
	m.Bind("row", emit.IntWord(0))
	m.Bind("key", emit.IntWord(int64(p.stream[0]&math.MaxUint32)))
	m.Bind("keyhigh", emit.IntWord(int64(p.stream[0]>>32)))
	m.Bind("number", emit.IntWord(int64(p.stream[1]&math.MaxUint32)))
	m.Bind("numberhigh", emit.IntWord(int64(p.stream[1]>>32)))
	m.Bind("block", emit.IntWord(int64(p.stream[2])))
	m.Bind("blockld", emit.IntWord(int64((p.n+3)/4)))
	m.Bind("lanes", emit.PtrTo(emit.MemoryOf("lanes", emit.Generic, kernel.BlockLanes[:]), 0))
	for i, s := range slots {
		m.Bind(vector.SlotPtr(i), emit.PtrTo(s, 0))
		m.Bind(vector.SlotStride(i), emit.IntWord(int64(strides[i])))
	}
	if err := m.Run(f); err != nil {
		return fmt.Errorf("stage %d: %w", st.number, err)
	}
	return nil
}

// bits is memory of a mask: of values, with bits set that are no element's, or none yet.
func (p *problem) bits(name string, values []float64) (*emit.Memory, int) {
	n := (p.n + 7) / 8
	ld := n + p.pad
	m := &emit.Memory{Name: name, Data: make([]byte, max(0, (p.m-1)*ld+n))}
	if values == nil {
		m.Track()
		return m, ld
	}
	for i := range m.Data {
		m.Data[i] = 0xff
	}
	for e, v := range values {
		if i, j := e/p.n, e%p.n; v == 0 {
			m.Data[i*ld+j/8] &^= 1 << (j % 8)
		}
	}
	return m, ld
}

// compareBits wants a bit for each element of n that is not 0, and zeros at the ends of rows.
func (p *problem) compareBits(n *node, m *emit.Memory, stride int) error {
	for i := range p.m {
		for c := range (p.n + 7) / 8 {
			b, err := m.Read(int64(i*stride+c), 1)
			if err != nil {
				return err
			}
			want := byte(0)
			for bit := range min(8, p.n-8*c) {
				if p.values[n][i*p.n+8*c+bit] != 0 {
					want |= 1 << bit
				}
			}
			if b[0] != want {
				return fmt.Errorf("byte %d of row %d is %08b, want %08b", c, i, b[0], want)
			}
		}
	}
	return nil
}

// compare wants the numbers of n in m, but for the order of sums.
func (p *problem) compare(n *node, m *emit.Memory, stride int) error {
	rows, cols := p.size(n)
	size := n.t.Size()
	for i := range rows {
		for j := range cols {
			b, err := m.Read(int64(i*stride+j*size), size)
			if err != nil {
				return err
			}
			var bits uint64
			for k, x := range b {
				bits |= uint64(x) << (8 * k)
			}
			have, want := float64(int64(bits<<(64-8*size))>>(64-8*size)), p.values[n][i*cols+j]
			if n.t == dtype.U8 {
				have = float64(bits)
			}
			if gemm.ElemOf(n.t).Float() {
				have = gemm.ElemOf(n.t).Decode(bits)
			}
			off := math.Abs(have - want)
			near := off <= 2e-5*max(1, math.Abs(want)) || size == 2 && off <= math.Abs(want)/100
			if have == want || have != have && want != want || near && !math.IsInf(want, 0) { // all is near an infinity
				continue
			}
			return fmt.Errorf("element (%d, %d) is %v, want %v", i, j, have, want)
		}
	}
	return nil
}
