package inst

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// tileState is the tiles of a machine: what [TileLoadConfig] has made usable, and what is in
// them. Anything that makes a machine raise an exception is an error.
type tileState struct {
	on   bool
	tile [Tiles]tile
}

// A tile is rows of bytes. Beyond those of the configuration it is zeros.
type tile struct {
	rows, bytes int
	data        [TileRows][TileBytes]byte
}

type tileKey struct{}

func tilesOf(m *emit.Machine) *tileState {
	return m.State(tileKey{}, func() any { return new(tileState) }).(*tileState)
}

// TilesInUse reports whether m has configured tiles that were not released when its last
// run ended.
func TilesInUse(m *emit.Machine) bool { return tilesOf(m).on }

var errUnconfigured = errors.New("tiles are used without a configuration")

// configure takes a configuration, which is checked as LDTILECFG does.
func (s *tileState) configure(b []byte) error {
	if b[0] != 1 {
		return fmt.Errorf("a configuration of tiles begins with %d, want palette 1", b[0])
	}
	next := tileState{on: true}
	for i := range next.tile {
		t := &next.tile[i]
		t.bytes, t.rows = int(binary.LittleEndian.Uint16(b[TileConfigWidth+2*i:])), int(b[TileConfigRows+i])
		if t.rows > TileRows || t.bytes > TileBytes || (t.rows == 0) != (t.bytes == 0) {
			return fmt.Errorf("tile %d is configured to %d rows of %d bytes; want up to %d of %d", i, t.rows, t.bytes, TileRows, TileBytes)
		}
	}
	for i, x := range b {
		known := i == 0 || TileConfigWidth <= i && i < TileConfigWidth+2*Tiles || TileConfigRows <= i && i < TileConfigRows+Tiles
		if !known && x != 0 {
			return fmt.Errorf("byte %d of a configuration of tiles is %d, want 0", i, x)
		}
	}
	*s = next
	return nil
}

// used returns the n-th tile, which has to be configured.
func (s *tileState) used(n int64) (*tile, error) {
	switch {
	case !s.on:
		return nil, errUnconfigured
	case n < 0 || n >= Tiles:
		return nil, fmt.Errorf("there is no tile %d", n)
	case s.tile[n].rows == 0:
		return nil, fmt.Errorf("tile %d is used and has no rows", n)
	}
	return &s.tile[n], nil
}

// dot adds tile x times tile y to a tile of sums.
func (s *tileState) dot(kind TileKind, sum, x, y int) error {
	var t [3]*tile
	for i, n := range []int{sum, x, y} {
		var err error
		if t[i], err = s.used(int64(n)); err != nil {
			return err
		}
	}
	c, a, b := t[0], t[1], t[2]
	switch {
	case c == a || c == b || a == b:
		return fmt.Errorf("the tiles %d, %d and %d of a product have to differ", sum, x, y)
	case a.bytes%4 != 0 || b.bytes%4 != 0 || c.rows != a.rows || c.bytes != b.bytes || a.bytes != 4*b.rows:
		return fmt.Errorf("a product of tiles of %d x %d and %d x %d bytes does not fit sums of %d x %d", a.rows, a.bytes, b.rows, b.bytes, c.rows, c.bytes)
	}
	for i := range c.rows {
		for j := 0; j < c.bytes; j += 4 {
			at := c.data[i][j : j+4]
			was := binary.LittleEndian.Uint32(at)
			if kind == TileBF16 {
				was = a.bf16(was, i, b, j)
			} else {
				was = a.int8(kind, was, i, b, j)
			}
			binary.LittleEndian.PutUint32(at, was)
		}
	}
	return nil
}

// bf16 adds row i of a times the column at byte j of b. It adds first elements of pairs and
// second ones separately, each from zero on as [emit.MulAddFlush] does, then their sum, and
// that to sum.
func (a *tile) bf16(sum uint32, i int, b *tile, j int) uint32 {
	wide := func(b []byte) float32 {
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}
	var part [2]float32
	for p := range b.rows {
		for q := range part {
			part[q] = emit.MulAddFlush(wide(a.data[i][4*p+2*q:]), wide(b.data[p][j+2*q:]), part[q])
		}
	}
	both := emit.MulAddFlush(part[0], 1, part[1])
	return math.Float32bits(emit.MulAddFlush(math.Float32frombits(sum), 1, both))
}

// int8 is the same for integers, whose sums wrap around.
func (a *tile) int8(kind TileKind, sum uint32, i int, b *tile, j int) uint32 {
	number := func(x byte, signed bool) uint32 {
		if signed {
			return uint32(int8(x))
		}
		return uint32(x)
	}
	for p := range b.rows {
		for q := range 4 {
			sum += number(a.data[i][4*p+q], kind == TileI8I8 || kind == TileI8U8) * number(b.data[p][j+q], kind == TileI8I8 || kind == TileU8I8)
		}
	}
	return sum
}
