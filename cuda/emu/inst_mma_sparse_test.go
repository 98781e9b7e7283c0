package emu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// The forms of mma.sp as ISA 9.7.14.6 tables them. A's fragment is of what is stored; chunk
// of a stored element i of a lane and its row are what its tables give for columns. lane and
// bit are those of the metadata figures, for selector f.
var sparseTables = []struct {
	shape string
	types []string
	k     int
	group int // elements of a chunk
	a, b  fragment
	// meta is where four bits are of chunk c of row r.
	meta      func(f, r, c int) (lane, bit int)
	selectors int
}{
	{"m16n8k16", []string{"f16", "bf16"}, 16, 4,
		func(g, t, i int) (int, int) { return g + 8*low(i >= 2), 2*t + i&1 },
		func(g, t, i int) (int, int) { return 2*t + i&1 + 8*low(i >= 2), g },
		func(f, r, c int) (int, int) { return r%8*4 + f, 16*(r/8) + 4*c }, 4},
	{"m16n8k32", []string{"f16", "bf16"}, 32, 4,
		func(g, t, i int) (int, int) {
			return g + 8*low(i == 2 || i == 3 || i == 6 || i == 7), 2*t + i&1 + 8*low(i >= 4)
		},
		func(g, t, i int) (int, int) { return 2*t + i&1 + 8*(i/2), g },
		// Columns 0 to 15 are the first lane's, 16 to 31 the second's.
		func(f, r, c int) (int, int) { return r%8*4 + 2*f + low(c >= 4), 16*(r/8) + 4*(c%4) }, 2},
	{"m16n8k8", []string{"tf32"}, 8, 2,
		func(g, t, i int) (int, int) { return g + 8*low(i == 1), t },
		func(g, t, i int) (int, int) { return t + 4*i, g },
		func(f, r, c int) (int, int) { return r%8*4 + f, 16*(r/8) + 4*c }, 4},
	{"m16n8k16", []string{"tf32"}, 16, 2,
		func(g, t, i int) (int, int) { return g + 8*low(i == 1 || i == 3), t + 4*low(i >= 2) },
		func(g, t, i int) (int, int) { return t + 4*i, g },
		func(f, r, c int) (int, int) { return r%8*4 + 2*f + low(c >= 4), 16*(r/8) + 4*(c%4) }, 2},
	{"m16n8k32", []string{"s8", "u8"}, 32, 4,
		func(g, t, i int) (int, int) { return g + 8*low(i >= 4), 4*t + i&3 },
		func(g, t, i int) (int, int) { return 4*t + i&3 + 16*low(i >= 4), g },
		// A lane has all 32 columns of one row.
		func(f, r, c int) (int, int) { return r%8*4 + 2*f + r/8, 4 * c }, 2},
	{"m16n8k64", []string{"s8", "u8", "e4m3", "e5m2"}, 64, 4,
		func(g, t, i int) (int, int) {
			return g + 8*low(!(i < 4 || i >= 8 && i < 12)), 4*t + i&3 + 16*low(i >= 8)
		},
		func(g, t, i int) (int, int) { return 4*t + i&3 + 16*(i/4), g },
		func(_, r, c int) (int, int) { return r%8*4 + r/8 + 2*low(c >= 8), 4 * (c % 8) }, 1},
}

func TestSparseMMA(t *testing.T) {
	rng := rand.New(level.PCG(7, 8))
	for _, tab := range sparseTables {
		for _, ta := range tab.types {
			for _, tb := range tab.types {
				if ta != tb && types[ta].size > 1 || types[ta].integer() != types[tb].integer() {
					continue
				}
				for f := range tab.selectors {
					sums := []string{"f32"}
					switch {
					case types[ta].integer():
						sums = []string{"s32"}
					case ta == "f16":
						sums = []string{"f32", "f16"}
					}
					for _, td := range sums {
						p := newSparseProblem(rng, ta, tb, td, tab.k, tab.group)
						for _, variant := range []string{"sp", "sp::ordered_metadata"} {
							p.meta = p.metadata(rng, variant == "sp", f, tab.meta)
							name := fmt.Sprintf("mma.%s.sync.aligned.%s.row.col.%s.%s.%s.%s", variant, tab.shape, td, ta, tb, td)
							p.run(t, name, f, tab.a, tab.b)
						}
					}
				}
			}
		}
	}
}

// A sparseProblem is the matrices of one instruction: A in full, B and C.
type sparseProblem struct {
	ta, tb, td string
	k, group   int
	a, b, c    []float64
	stored     [][]int // the columns of each row that are
	meta       [32]uint32
}

func newSparseProblem(rng *rand.Rand, ta, tb, td string, k, group int) *sparseProblem {
	p := &sparseProblem{ta: ta, tb: tb, td: td, k: k, group: group, a: make([]float64, 16*k), stored: make([][]int, 16)}
	small := func(ty string) float64 {
		if ty == "u8" {
			return float64(rng.IntN(8) + 200)
		}
		return float64(rng.IntN(7) - 3)
	}
	for r := range 16 {
		for c := 0; c < k; c += group {
			for n, j := range rng.Perm(group) {
				if n < group/2 {
					p.a[r*k+c+j] = small(ta)
				} else {
					p.a[r*k+c+j] = math.NaN() // not stored
				}
			}
		}
		for j := range k {
			if x := p.a[r*k+j]; x == x {
				p.stored[r] = append(p.stored[r], j)
			}
		}
	}
	for range 8 * k {
		p.b = append(p.b, small(tb))
	}
	for range 128 {
		p.c = append(p.c, small(td))
	}
	return p
}

// metadata is what the lanes hold; what no lane of the selector has is wrong. If any order
// goes, some chunks are stored with the later element first.
func (p *sparseProblem) metadata(rng *rand.Rand, any bool, f int, where func(f, r, c int) (lane, bit int)) (x [32]uint32) {
	picked := map[int]bool{}
	for r := range 16 {
		for c := range p.k / p.group {
			lane, bit := where(f, r, c)
			var code int
			if p.group == 2 {
				code = 0b0100 + p.stored[r][c]%2*0b1010
			} else {
				s := p.stored[r][2*c : 2*c+2]
				if any == (s[0] < s[1]) && rng.IntN(2) > 0 || !any && s[0] > s[1] {
					s[0], s[1] = s[1], s[0]
				}
				code = s[0]%4 | s[1]%4<<2
			}
			x[lane] |= uint32(code) << bit
			picked[lane] = true
		}
	}
	for lane := range x {
		if !picked[lane] {
			x[lane] = rng.Uint32() & 0xfffffff0 // the first chunk is elements 0 and 0
		}
	}
	return x
}

// encode is a number as bits of a type.
func (p *sparseProblem) encode(ty string, v float64) uint32 {
	switch ty {
	case "f32", "tf32":
		return math.Float32bits(float32(v))
	case "s8", "u8":
		return uint32(uint8(int(v)))
	case "s32":
		return uint32(int32(v))
	}
	return uint32(formats[ty].encode(v, roundNear, false))
}

// registers packs n elements of a lane.
func (p *sparseProblem) registers(ty string, n int, x func(i int) float64) (regs []uint32) {
	size := types[ty].size
	for i := range n {
		if i*size%4 == 0 {
			regs = append(regs, 0)
		}
		regs[len(regs)-1] |= p.encode(ty, x(i)) << (8 * (i * size % 4))
	}
	return regs
}

func sumAt(g, t, i int) (row, col int) { return g + 8*low(i >= 2), 2*t + i&1 }

// program is an instruction between loads and stores, and what it loads.
func (p *sparseProblem) program(name string, f int, fa, fb fragment) (src string, data []byte, nd int) {
	var lists [3]string
	var body strings.Builder
	per := 0
	for lane := range 32 {
		g, t := lane/4, lane%4
		a := p.registers(p.ta, 16*p.k/2/32, func(i int) float64 { r, j := fa(g, t, i); return p.a[r*p.k+p.stored[r][j]] })
		b := p.registers(p.tb, 8*p.k/32, func(i int) float64 { k, n := fb(g, t, i); return p.b[k*8+n] })
		c := p.registers(p.td, 4, func(i int) float64 { r, n := sumAt(g, t, i); return p.c[r*8+n] })
		all := append(append(append(a, b...), c...), p.meta[lane])
		for _, x := range all {
			data = binary.LittleEndian.AppendUint32(data, x)
		}
		if lane > 0 {
			continue
		}
		nd, per = len(c), 4*len(all)
		at := 1
		for i, n := range []int{len(a), len(b), len(c)} {
			var s []string
			for range n {
				s = append(s, fmt.Sprintf("%%r%d", at))
				at++
			}
			lists[i] = "{" + strings.Join(s, ", ") + "}"
		}
		fmt.Fprintf(&body, "mul.wide.u32 %%rd5, %%r0, %d;\nadd.u64 %%rd5, %%rd5, %%rd0;\nmul.wide.u32 %%rd6, %%r0, %d;\nadd.u64 %%rd6, %%rd6, %%rd1;\n", per, 4*nd)
		for i := range all {
			fmt.Fprintf(&body, "ld.global.b32 %%r%d, [%%rd5+%d];\n", 1+i, 4*i)
		}
		fmt.Fprintf(&body, "%s %s, %s, %s, %s, %%r%d, %d;\n", name, lists[2], lists[0], lists[1], lists[2], len(all), f)
		for i := range nd {
			fmt.Fprintf(&body, "st.global.b32 [%%rd6+%d], %%r%d;\n", 4*i, 1+len(a)+len(b)+i)
		}
	}
	src = strings.Replace(strings.Replace(kernel(2, body.String()), "sm_80", "sm_90", 1), "8.0", "8.5", 1)
	return src, data, nd
}

func (p *sparseProblem) run(t *testing.T, name string, f int, fa, fb fragment) {
	t.Helper()
	src, data, nd := p.program(name, f, fa, fb)
	r := newRig(t, Options{})
	in, out := r.alloc(data), r.empty(128*nd)
	if err := r.launch(src, "k", grid(1, 32, 0), in, out); err != nil {
		t.Fatalf("%s, %d: %v", name, f, err)
	}
	got := toWords(r.read(out))
	for lane := range 32 {
		want := p.registers(p.td, 4, func(i int) float64 {
			row, col := sumAt(lane/4, lane%4, i)
			sum := p.c[row*8+col]
			for _, j := range p.stored[row] {
				sum += p.a[row*p.k+j] * p.b[j*8+col]
			}
			return sum
		})
		for i, w := range want {
			if v := got[lane*nd+i]; v != w {
				t.Fatalf("%s, %d: lane %d register %d = %#x, want %#x", name, f, lane, i, v, w)
			}
		}
	}
}

// Metadata that means nothing is a fault, of a lane that the selector picks only.
func TestSparseMetadata(t *testing.T) {
	for _, c := range []struct {
		variant string
		table   int
		code    uint32 // of the third chunk of row 9
		fault   string
	}{
		{"sp::ordered_metadata", 1, 0b0101, "row 9, columns 8 to 11 is 0101"},
		{"sp::ordered_metadata", 1, 0b0001, "row 9, columns 8 to 11 is 0001"},
		{"sp", 1, 0b0101, "row 9, columns 8 to 11 is 0101"},
		{"sp", 1, 0b0001, ""},
		{"sp::ordered_metadata", 3, 0b1100, "row 9, columns 4 and 5 is 1100"},
		{"sp::ordered_metadata", 3, 0b1110, ""},
		{"sp::ordered_metadata", 5, 0b1010, "row 9, columns 8 to 11 is 1010"},
	} {
		tab := sparseTables[c.table]
		ta := tab.types[0]
		td := "f32"
		if ta == "s8" {
			td = "s32"
		}
		rng := rand.New(level.PCG(1, 2))
		p := newSparseProblem(rng, ta, ta, td, tab.k, tab.group)
		p.meta = p.metadata(rng, false, 0, tab.meta)
		lane, bit := tab.meta(0, 9, 2)
		p.meta[lane] = p.meta[lane]&^(15<<bit) | c.code<<bit
		name := fmt.Sprintf("mma.%s.sync.aligned.%s.row.col.%s.%s.%s.%s", c.variant, tab.shape, td, ta, ta, td)
		src, data, nd := p.program(name, 0, tab.a, tab.b)
		r := newRig(t, Options{})
		err := r.launch(src, "k", grid(1, 32, 0), r.alloc(data), r.empty(128*nd))
		var f *Fault
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s %04b: %v", name, c.code, err)
		case c.fault != "" && (!errors.As(err, &f) || f.Kind != Undefined || !strings.Contains(f.Msg, c.fault) || f.Thread[0] != lane):
			t.Errorf("%s %04b: %v; want thread %d to fault with %q", name, c.code, err, lane, c.fault)
		}
	}
}
