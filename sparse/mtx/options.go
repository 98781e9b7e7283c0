package mtx

import "math"

// Options holds what a reader may spend, and how it answers. The zero value is for
// files of unknown origin; a field that is zero stands for the default it names.
type Options struct {
	Name string // of the file, for errors

	// Expand makes a reader of a symmetric, skew-symmetric or hermitian file visit
	// (j, i) right after each (i, j) off the diagonal, with the value that the
	// symmetry gives it. There are then up to twice Header.Entries visits.
	Expand bool

	MaxDim     int   // rows and columns; default 1<<27
	MaxEntries int   // entries that the file stores; default 1<<31 - 1
	MaxLine    int   // bytes of a line; default 1<<20 (the standard allows 1024)
	MaxBytes   int64 // bytes of text, after decompression; default no limit
	MaxRatio   int   // bytes of text from a byte of gzip, after the first MiB; default 200
}

// withDefaults returns o with its zero and negative limits filled in.
func (o Options) withDefaults() Options {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	def(&o.MaxDim, 1<<27)
	def(&o.MaxEntries, math.MaxInt32)
	def(&o.MaxLine, 1<<20)
	def(&o.MaxRatio, 200)
	if o.MaxBytes <= 0 {
		o.MaxBytes = math.MaxInt64
	}
	return o
}
