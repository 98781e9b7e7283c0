package mem

// Split cuts a length into count pieces whose sizes differ by at most one: the
// first tall pieces have size, the others one less. Equal pieces keep every kernel
// call near its best shape, where full pieces and a runt would not.
type Split struct{ Count, Size, Tall int }

// SplitUp cuts n into as few pieces of at most most as will do: none if n is 0.
func SplitUp(n, most int) Split {
	if n == 0 {
		return Split{}
	}
	count := Ceil(n, most)
	size := Ceil(n, count)
	return Split{count, size, n - count*(size-1)}
}

// At returns where piece i begins; at(count) is the length.
func (s *Split) At(i int) int {
	if i <= s.Tall {
		return i * s.Size
	}
	return s.Tall*s.Size + (i-s.Tall)*(s.Size-1)
}

// Of returns the piece that has element at.
func (s *Split) Of(at int) int {
	if tall := s.Tall * s.Size; at >= tall && s.Size > 1 {
		return s.Tall + (at-tall)/(s.Size-1)
	}
	return at / s.Size
}

// Extent is a half-open range of tiles or panels.
type Extent struct{ From, To int }
