package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Tiles (AMX) are eight registers of up to 16 rows of up to 64 bytes. How many rows and bytes
// each has is data: [TileLoadConfig] reads it from memory, so that one kernel does for all
// heights and widths. A row of a product's first operand is a row of A, 64 bytes of k. A row
// of the second operand is k that are adjacent in 4 bytes, for 16 columns.
//
// Tiles are not values. Instructions name them by numbers, which are their constant, and
// keep their order as accesses to memory do. [TileLoadConfig] begins and [TileRelease] ends
// their use, in one function. Intel SDM volume 1, chapter 18.

// HasTiles is the targets that have tiles, as [emit.Instruction] names them.
const HasTiles = "amxbf16 amxint8"

// Tiles is how many there are, TileRows the most rows of one, and TileBytes how long they are
// at most.
const (
	Tiles     = 8
	TileRows  = 16
	TileBytes = 64
)

// TileConfigBytes is the size of a configuration. Byte 0 is 1, the two bytes from 16+2*i on
// are the row length of tile i in bytes, byte 48+i is its rows, and the others are zeros. A
// tile of no rows and no bytes is not used.
const (
	TileConfigBytes = 64
	TileConfigWidth = 16
	TileConfigRows  = 48
)

// TileLoadConfig configures the tiles, as the 64 bytes at its operand say, and sets them to
// zeros; TileRelease ends it. SDM volume 2, LDTILECFG, TILERELEASE.
var (
	TileLoadConfig = emit.Declare(emit.Instruction{
		Name: "amd64.LDTILECFG", Doc: "configures the tiles and sets them to zeros",
		In: []emit.Type{emit.Ptr}, Mem: emit.Writes, Needs: HasTiles,
		Run: func(m *emit.Machine, _ int64, in, _ [][]emit.Word) error {
			b, err := bytesAt(in[0][0], 0, TileConfigBytes)
			if err != nil {
				return err
			}
			return tilesOf(m).configure(b)
		},
		Text: map[string]string{"amd64": "LDTILECFG ({0})"},
	})
	TileRelease = emit.Declare(emit.Instruction{
		Name: "amd64.TILERELEASE", Doc: "ends the configuration of tiles",
		Mem: emit.Writes, Needs: HasTiles,
		Run: func(m *emit.Machine, _ int64, _, _ [][]emit.Word) error {
			if !tilesOf(m).on {
				return errUnconfigured
			}
			*tilesOf(m) = tileState{}
			return nil
		},
		Text: map[string]string{"amd64": "TILERELEASE"},
	})
)

// TileZero sets the tile that its constant names to zeros. TileLoad loads its rows from an
// address on, so many bytes apart, and TileStore stores them: operands are the address and
// the distance. Nothing beyond the rows and bytes of the configuration is read or written.
// SDM volume 2, TILEZERO, TILELOADD, TILESTORED.
var (
	TileZero = emit.Declare(emit.Instruction{
		Name: "amd64.TILEZERO", Doc: "sets tile imm to zeros", Mem: emit.Writes, Needs: HasTiles,
		Run: func(m *emit.Machine, imm int64, _, _ [][]emit.Word) error {
			t, err := tilesOf(m).used(imm)
			if err == nil {
				t.data = [TileRows][TileBytes]byte{}
			}
			return err
		},
		Text: map[string]string{"amd64": "TILEZERO {t0}"},
	})
	TileLoad = emit.Declare(emit.Instruction{
		Name: "amd64.TILELOADD", Doc: "loads the rows of tile imm, operand 1 bytes apart", In: []emit.Type{emit.Ptr, emit.Int64}, Mem: emit.Writes, Needs: HasTiles,
		Run: func(m *emit.Machine, imm int64, in, _ [][]emit.Word) error {
			t, err := tilesOf(m).used(imm)
			if err != nil {
				return err
			}
			t.data = [TileRows][TileBytes]byte{}
			for row := range t.rows {
				b, err := bytesAt(in[0][0], int64(row)*int64(in[0][1].Lane[0]), t.bytes)
				if err != nil {
					return err
				}
				copy(t.data[row][:], b)
			}
			return nil
		},
		Text: map[string]string{"amd64": "TILELOADD ({0})({1}*1), {t0}"},
	})
	TileStore = emit.Declare(emit.Instruction{
		Name: "amd64.TILESTORED", Doc: "stores the rows of tile imm, operand 1 bytes apart", In: []emit.Type{emit.Ptr, emit.Int64}, Mem: emit.Writes, Needs: HasTiles,
		Run: func(m *emit.Machine, imm int64, in, _ [][]emit.Word) error {
			t, err := tilesOf(m).used(imm)
			if err != nil {
				return err
			}
			to := in[0][0]
			for row := range t.rows {
				off := to.Offset() + int64(row)*int64(in[0][1].Lane[0])
				if err := to.Mem.Bounds("writes", off, t.bytes); err != nil {
					return err
				}
				if err := to.Mem.Write(off, t.data[row][:t.bytes]); err != nil {
					return err
				}
			}
			return nil
		},
		Text: map[string]string{"amd64": "TILESTORED {t0}, ({0})({1}*1)"},
	})
)

// bytesAt reads n bytes, off bytes behind p.
func bytesAt(p emit.Word, off int64, n int) ([]byte, error) {
	off += p.Offset()
	if err := p.Mem.Bounds("reads", off, n); err != nil {
		return nil, err
	}
	return p.Mem.Read(off, n)
}

// TileKind is what the elements of a product of tiles are.
type TileKind uint8

// The kinds: bf16, and int8 that is signed (I8) or not (U8). The kind of the first factor
// comes first.
const (
	TileBF16 TileKind = iota
	TileI8I8
	TileI8U8
	TileU8I8
	TileU8U8
)

// TileDot returns the instruction that adds the product of two tiles to a tile of sums. The
// sums have as many rows as the first tile and as many columns as the second. Its constant is
// what [DotOf] makes of the tiles' numbers. SDM volume 2, TDPBF16PS and
// TDPBSSD/TDPBSUD/TDPBUSD/TDPBUUD.
func TileDot(kind TileKind) *emit.Instruction { return tileDots[kind] }

// DotOf is the constant of a product that adds tile x times tile y to tile sum.
func DotOf(sum, x, y int) int64 { return int64(sum | x<<tileBits | y<<(2*tileBits)) }

// tileBits is how many bits of a constant name a tile.
const tileBits = 3

// TilesIn are the three numbers in a constant; those that an instruction has no tile for are 0.
func TilesIn(imm int64) (n [3]int) {
	for i := range n {
		n[i] = int(imm >> (tileBits * i) & (Tiles - 1))
	}
	return n
}

var tileDots = [...]*emit.Instruction{
	TileBF16: declareTileDot("TDPBF16PS", TileBF16),
	TileI8I8: declareTileDot("TDPBSSD", TileI8I8),
	TileI8U8: declareTileDot("TDPBSUD", TileI8U8),
	TileU8I8: declareTileDot("TDPBUSD", TileU8I8),
	TileU8U8: declareTileDot("TDPBUUD", TileU8U8),
}

func declareTileDot(mnemonic string, kind TileKind) *emit.Instruction {
	needs := "amxint8"
	if kind == TileBF16 {
		needs = "amxbf16"
	}
	return emit.Declare(emit.Instruction{
		Name: "amd64." + mnemonic, Doc: "adds the product of two tiles to a third", Needs: needs, Mem: emit.Writes,
		Run: func(m *emit.Machine, imm int64, _, _ [][]emit.Word) error {
			if imm < 0 || imm >= 1<<(3*tileBits) {
				return fmt.Errorf("%d does not name three tiles", imm)
			}
			n := TilesIn(imm)
			return tilesOf(m).dot(kind, n[0], n[1], n[2])
		},
		Text: map[string]string{"amd64": mnemonic + " {t2}, {t1}, {t0}"},
	})
}

// Scratch gives the address of bytes in the function's frame, as many as its constant
// says, on which nothing has been written. The configuration of tiles is made there, and
// tiles become vectors there.
var Scratch = emit.Declare(emit.Instruction{
	Name: "cpu.scratch", Doc: "the address of imm bytes in the frame",
	Out: []emit.Type{emit.Ptr}, Mem: emit.Writes,
	Run: func(_ *emit.Machine, imm int64, _, out [][]emit.Word) error {
		out[0][0] = emit.PtrTo(emit.NewMemory("the frame", emit.Generic, int(imm)), 0)
		return nil
	},
	Text: map[string]string{"amd64": "LEAQ the frame, {0}", "arm64": "ADD the frame, RSP, {0}"},
})
