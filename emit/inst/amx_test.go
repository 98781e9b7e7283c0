package inst_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/internal/level"
)

var tileArgs = []emit.Arg{{Name: "a", Type: emit.Ptr}, {Name: "b", Type: emit.Ptr, Offset: 8}, {Name: "c", Type: emit.Ptr, Offset: 16}}

// shapes is a configuration: rows and bytes of the first tiles.
type shapes [][2]int

func (s shapes) bytes() []byte {
	b := make([]byte, inst.TileConfigBytes)
	b[0] = 1
	for i, t := range s {
		b[inst.TileConfigRows+i] = byte(t[0])
		binary.LittleEndian.PutUint16(b[inst.TileConfigWidth+2*i:], uint16(t[1]))
	}
	return b
}

// configure writes bytes to the frame and loads them.
func configure(b *emit.Builder, config []byte) {
	frame := b.Inst(inst.Scratch, int64(len(config)))[0]
	for i := 0; i < len(config); i += 8 {
		b.Store(b.Int(int64(binary.LittleEndian.Uint64(config[i:]))), emit.At(frame, int64(i)))
	}
	b.Inst(inst.TileLoadConfig, 0, frame)
}

// tileProduct builds c += a*b of one tile each, of rows x 4*depth and depth x cols words; rows
// of a are apart bytes apart.
func tileProduct(kind inst.TileKind, rows, depth, cols int, apart int64) func(b *emit.Builder) {
	return func(b *emit.Builder) {
		configure(b, shapes{{rows, 4 * cols}, {rows, 4 * depth}, {depth, 4 * cols}}.bytes())
		stride := b.Int(inst.TileBytes)
		b.Inst(inst.TileLoad, 0, b.Param("c", emit.Ptr), stride)
		b.Inst(inst.TileLoad, 1, b.Param("a", emit.Ptr), b.Int(apart))
		b.Inst(inst.TileLoad, 2, b.Param("b", emit.Ptr), stride)
		b.Inst(inst.TileDot(kind), inst.DotOf(0, 1, 2))
		b.Inst(inst.TileStore, 0, b.Param("c", emit.Ptr), stride)
		b.Inst(inst.TileRelease, 0)
	}
}

// TestTileDots compares each product of tiles of any shape with a loop over rows, columns and
// k, in the arithmetic of int64, and for bf16 with sums that are exact. Nothing beyond a
// tile's rows and bytes is read or written.
func TestTileDots(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	for kind, signs := range map[inst.TileKind][2]bool{inst.TileBF16: {}, inst.TileI8I8: {true, true}, inst.TileI8U8: {true, false}, inst.TileU8I8: {false, true}, inst.TileU8U8: {}} {
		for _, shape := range [][3]int{{16, 16, 16}, {1, 16, 16}, {7, 16, 5}, {16, 3, 1}, {2, 1, 15}} {
			rows, depth, cols := shape[0], shape[1], shape[2]
			const apart = 100
			a, b, c := make([]byte, (rows-1)*apart+4*depth), make([]byte, (depth-1)*64+4*cols), make([]byte, (rows-1)*64+4*cols)
			size := 1
			if kind == inst.TileBF16 {
				size = 2
			}
			fill := func(x []byte) {
				for i := range x {
					x[i] = byte(r.Uint32())
				}
				for i := 0; size == 2 && i+1 < len(x); i += 2 {
					binary.LittleEndian.PutUint16(x[i:], uint16(emit.BF16.Encode(float64(r.IntN(65)-32))))
				}
			}
			fill(a)
			fill(b)
			for i := 0; i < len(c); i += 4 {
				binary.LittleEndian.PutUint32(c[i:], r.Uint32())
				if kind == inst.TileBF16 {
					binary.LittleEndian.PutUint32(c[i:], math.Float32bits(float32(r.IntN(1000)-500)))
				}
			}
			number := func(x []byte, at int, signed bool) int64 {
				switch {
				case kind == inst.TileBF16:
					return int64(emit.BF16.Decode(uint64(binary.LittleEndian.Uint16(x[at*2:]))))
				case signed:
					return int64(int8(x[at]))
				}
				return int64(x[at])
			}
			old := append([]byte(nil), c...)
			mem := &emit.Memory{Name: "C", Data: c}
			m := &emit.Machine{}
			m.Bind("a", emit.PtrTo(&emit.Memory{Name: "A", Data: a, ReadOnly: true}, 0))
			m.Bind("b", emit.PtrTo(&emit.Memory{Name: "B", Data: b, ReadOnly: true}, 0))
			m.Bind("c", emit.PtrTo(mem, 0))
			run(t, m, tileArgs, tileProduct(kind, rows, depth, cols, apart))
			group := 4 / size
			for i := range rows {
				for j := range cols {
					bits := binary.LittleEndian.Uint32(old[64*i+4*j:])
					want := int64(bits)
					if kind == inst.TileBF16 {
						want = int64(math.Float32frombits(bits))
					}
					for k := range 4 * depth / size {
						want += number(a[i*apart:], k, signs[0]) * number(b, k/group*16*group+j*group+k%group, signs[1])
					}
					have := binary.LittleEndian.Uint32(c[64*i+4*j:])
					same := have == uint32(want)
					if kind == inst.TileBF16 {
						same = math.Float32frombits(have) == float32(want)
					}
					if !same {
						t.Fatalf("kind %d, %v: (%d, %d) is %#x, want %d", kind, shape, i, j, have, want)
					}
				}
				if i+1 < rows && !bytes.Equal(c[64*i+4*cols:64*i+64], old[64*i+4*cols:64*i+64]) {
					t.Fatalf("kind %d, %v: row %d is written beyond its end", kind, shape, i)
				}
			}
			if inst.TilesInUse(m) {
				t.Error("tiles are in use after their release")
			}
		}
	}
}

// TestTileFlush: sums of pairs are apart until the end, and denormals are zeros.
func TestTileFlush(t *testing.T) {
	one := func(x float64) uint16 { return uint16(emit.BF16.Encode(x)) }
	for _, c := range []struct {
		name string
		a    [4]float64 // of b all are 1, or what is small
		b    float64
		acc  float32
		want float32
	}{
		{"first and second elements apart", [4]float64{0x1p30, 1, -0x1p30, 1}, 1, 0, 2}, // in turn the ones would be lost
		{"each rounded", [4]float64{0x1p30, 0, 1, 0}, 1, 0, 0x1p30},
		{"the sum before acc", [4]float64{1, 1, 0, 0}, 1, 0x1p25 + 4, 0x1p25 + 8},
		{"a denormal operand", [4]float64{0x1p-130, 0, 0, 0}, 0x1p20, 0, 0},
		{"a denormal sum", [4]float64{0x1p-70, 0, 0, 0}, 0x1p-60, 0, 0},
		{"a denormal acc", [4]float64{0, 0, 0, 0}, 1, 0x1p-130, 0},
	} {
		a, b, out := make([]byte, 64), make([]byte, 1024), make([]byte, 64)
		for i, x := range c.a {
			binary.LittleEndian.PutUint16(a[2*i:], one(x))
		}
		for i := range 512 {
			binary.LittleEndian.PutUint16(b[2*i:], one(c.b))
		}
		binary.LittleEndian.PutUint32(out, math.Float32bits(c.acc))
		m := &emit.Machine{}
		m.Bind("a", emit.PtrTo(&emit.Memory{Name: "A", Data: a}, 0))
		m.Bind("b", emit.PtrTo(&emit.Memory{Name: "B", Data: b}, 0))
		m.Bind("c", emit.PtrTo(&emit.Memory{Name: "C", Data: out}, 0))
		run(t, m, tileArgs, tileProduct(inst.TileBF16, 1, 16, 16, 64))
		if have := math.Float32frombits(binary.LittleEndian.Uint32(out)); have != c.want {
			t.Errorf("%s: %g, want %g", c.name, have, c.want)
		}
	}
}

// TestTileMistakes: what would be a fault on a machine is an error.
func TestTileMistakes(t *testing.T) {
	with := func(at int, x byte) []byte {
		c := shapes{{3, 64}, {3, 64}, {16, 64}, {3, 60}}.bytes()
		c[at] = x
		return c
	}
	fine := func(body func(b *emit.Builder)) func(b *emit.Builder) {
		return func(b *emit.Builder) { configure(b, with(0, 1)); body(b) }
	}
	dot := func(sum, x, y int) func(b *emit.Builder) {
		return fine(func(b *emit.Builder) { b.Inst(inst.TileDot(inst.TileI8I8), inst.DotOf(sum, x, y)) })
	}
	refused := func(at int, x byte) func(b *emit.Builder) {
		return func(b *emit.Builder) { configure(b, with(at, x)) }
	}
	for _, c := range []struct {
		name, want string
		body       func(b *emit.Builder)
	}{
		{"no configuration", "tiles are used without a configuration", func(b *emit.Builder) { b.Inst(inst.TileZero, 0) }},
		{"released", "tiles are used without a configuration", fine(func(b *emit.Builder) {
			b.Inst(inst.TileRelease, 0)
			b.Inst(inst.TileZero, 0)
		})},
		{"released twice", "tiles are used without a configuration", fine(func(b *emit.Builder) {
			b.Inst(inst.TileRelease, 0)
			b.Inst(inst.TileRelease, 0)
		})},
		{"past the end", "reads 64 bytes at offset 128 of A, which has 190 bytes", fine(func(b *emit.Builder) {
			b.Inst(inst.TileLoad, 0, b.Param("a", emit.Ptr), b.Int(64))
		})},
		{"written past the end", "writes 64 bytes at offset 128 of A, which has 190 bytes", fine(func(b *emit.Builder) {
			b.Inst(inst.TileStore, 0, b.Param("a", emit.Ptr), b.Int(64))
		})},
		{"a short configuration", "reads 64 bytes at offset 128 of A", func(b *emit.Builder) {
			b.Inst(inst.TileLoadConfig, 0, b.AddP(b.Param("a", emit.Ptr), b.Int(128)))
		}},
		{"a configuration of nothing", "a configuration of tiles begins with 0, want palette 1", refused(0, 0)},
		{"a configuration with more", "byte 1 of a configuration of tiles is 7, want 0", refused(1, 7)},
		{"too many rows", "tile 1 is configured to 17 rows of 64 bytes; want up to 16 of 64", refused(inst.TileConfigRows+1, 17)},
		{"rows of nothing", "tile 4 is configured to 2 rows of 0 bytes", refused(inst.TileConfigRows+4, 2)},
		{"too wide", "tile 0 is configured to 3 rows of 320 bytes", refused(inst.TileConfigWidth+1, 1)},
		{"an unused tile", "tile 5 is used and has no rows", fine(func(b *emit.Builder) { b.Inst(inst.TileZero, 5) })},
		{"a ninth tile", "there is no tile 8", fine(func(b *emit.Builder) { b.Inst(inst.TileZero, 8) })},
		{"a square", "the tiles 0, 2 and 2 of a product have to differ", dot(0, 2, 2)},
		{"columns", "a product of tiles of 3 x 64 and 16 x 64 bytes does not fit sums of 3 x 60", dot(3, 1, 2)},
		{"rows", "a product of tiles of 16 x 64 and 3 x 64 bytes does not fit sums of 3 x 64", dot(0, 2, 1)},
		{"four tiles", "4096 does not name three tiles", fine(func(b *emit.Builder) { b.Inst(inst.TileDot(inst.TileI8I8), 1<<12) })},
	} {
		f, err := emit.Build("test", tileArgs, c.body)
		if err != nil {
			t.Fatal(err)
		}
		m := &emit.Machine{}
		m.Bind("a", emit.PtrTo(&emit.Memory{Name: "A", Data: make([]byte, 190)}, 0))
		if err := m.Run(f); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
