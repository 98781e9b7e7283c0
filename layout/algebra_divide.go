package layout

import "fmt"

// LogicalDivide splits a into tiles. Mode 0 of the result is the tile, the elements of
// a that b names. Mode 1 steps from tile to tile. It is a composed with b and its
// complement in a's size.
//
//	(4,2,3):(2,1,8) by 4:2  =  ((2,2),(2,3)):((4,1),(2,8))
//
// a is seen as one mode; [ZippedDivide] and its like go mode by mode. It refuses what
// [Complement] and [Compose] refuse.
func LogicalDivide(a, b Layout) (Layout, error) {
	rest, err := Complement(b, a.Size())
	if err != nil {
		return Layout{}, within("LogicalDivide", err)
	}
	r, err := Compose(a, join([]Layout{b, rest}))
	if err != nil {
		return Layout{}, within("LogicalDivide", err)
	}
	return r, nil
}

// Tile returns the tilers of a plain tile: n:1 for each n. It panics with a
// [ShapeError] if an n is not positive.
func Tile(n ...int) []Layout {
	ts := make([]Layout, len(n))
	for i, n := range n {
		if n < 1 || n > maxSize {
			panic(ShapeError{"layout.Tile", fmt.Sprintf("size %d, not 1 to %d", n, maxSize)})
		}
		ts[i] = Layout{Int(n), Int(1)}
	}
	return ts
}

// LogicalDivideBy divides mode i of a by tiler i: ((tile,rest), (tile,rest), ...),
// followed by the modes without a tiler.
func LogicalDivideBy(a Layout, tiler ...Layout) (Layout, error) {
	tiles, rests, err := divide("LogicalDivideBy", a, tiler)
	if err != nil {
		return Layout{}, err
	}
	modes := rests
	for i, t := range tiles {
		modes[i] = join([]Layout{t, rests[i]})
	}
	return join(modes), nil
}

// ZippedDivide divides mode by mode and brings the tiles together:
// ((tile, tile, ...), (rest, rest, ..., modes without a tiler)). Mode 0 is one
// tile, mode 1 counts the tiles.
func ZippedDivide(a Layout, tiler ...Layout) (Layout, error) {
	tiles, rests, err := divide("ZippedDivide", a, tiler)
	if err != nil {
		return Layout{}, err
	}
	return join([]Layout{join(tiles), join(rests)}), nil
}

// TiledDivide is ZippedDivide with the second mode opened:
// ((tile, tile, ...), rest, rest, ..., modes without a tiler).
func TiledDivide(a Layout, tiler ...Layout) (Layout, error) {
	tiles, rests, err := divide("TiledDivide", a, tiler)
	if err != nil {
		return Layout{}, err
	}
	return join(append([]Layout{join(tiles)}, rests...)), nil
}

// FlatDivide is ZippedDivide with both modes opened:
// (tile, tile, ..., rest, rest, ..., modes without a tiler).
func FlatDivide(a Layout, tiler ...Layout) (Layout, error) {
	tiles, rests, err := divide("FlatDivide", a, tiler)
	if err != nil {
		return Layout{}, err
	}
	return join(append(tiles, rests...)), nil
}

// divide returns the tile and the rest of each mode that has a tiler; modes
// without one are all rest.
func divide(op string, a Layout, tiler []Layout) (tiles, rests []Layout, err error) {
	if len(tiler) == 0 || len(tiler) > a.Rank() {
		return nil, nil, refuse(op, "%d tilers for %v, which has %d modes", len(tiler), a, a.Rank())
	}
	rests = a.Modes()
	for i, t := range tiler {
		r, err := LogicalDivide(rests[i], t)
		if err != nil {
			return nil, nil, within(op, inMode(i, err))
		}
		tiles, rests[i] = append(tiles, r.Mode(0)), r.Mode(1)
	}
	return tiles, rests, nil
}

func inMode(i int, err error) error { return fmt.Errorf("mode %d: %w", i, err) }
