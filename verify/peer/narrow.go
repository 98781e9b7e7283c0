package peer

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Narrow has g multiply narrow types: c = a*b, all dense and row-major, m x n x k. b, like
// the weights of a layer, is packed here in the way that suits the library best. It
// returns a function that does so many products, in a loop of C. The error says that g has
// no such product.
//
// MKL has bf16, f16, i16 and u8 by i8. libxsmm's kernels take a whole number of steps of k.
// oneDNN tells for more pairs whether it has them. A library without VNNI or bf16 code for
// this processor may do them in a slower way: [Gemm.ISA] and Note are about f32.
func Narrow[A, B, C dtype.Elem](l *Loop, g *Gemm, m, n, k int, a []A, b []B, c []C) (run func(times int), err error) {
	p := narrowProduct{loop: l, types: [3]dtype.Type{dtype.Of[A](), dtype.Of[B](), dtype.Of[C]()}, m: m, n: n, k: k}
	for _, x := range []struct {
		name             string
		rows, cols, have int
	}{{"a", m, k, len(a)}, {"b", k, n, len(b)}, {"c", m, n, len(c)}} {
		if x.rows < 1 || x.cols < 1 || max(x.rows, x.cols) > math.MaxInt32 || x.have/x.cols < x.rows {
			return nil, fmt.Errorf("peer: %s has %d elements; want a positive number of rows and columns, and %dx%d of them", x.name, x.have, x.rows, x.cols)
		}
	}
	if l == nil {
		return nil, fmt.Errorf("peer: %s: products of %v are called from C: want a loop, see OpenLoop", g.Name, p)
	}
	if g.narrow == nil {
		return nil, fmt.Errorf("peer: %s: no products of narrow types here", g.Name)
	}
	p.a, p.b, p.c = unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&c[0])
	var do func(times int64) error
	g.onThread(func() { do, err = g.narrow(p) })
	if err != nil {
		return nil, fmt.Errorf("peer: %s: %v: %w", g.Name, p, err)
	}
	return func(times int) {
		g.onThread(func() {
			pinned(func() {
				if err := do(int64(times)); err != nil {
					panic(fmt.Sprintf("peer: %s: %v: %v", g.Name, p, err))
				}
			}, p.a, p.b, p.c)
		})
	}, nil
}

// A narrowProduct is one product of narrow types. The function that is made of it may use
// the matrices only while it is called: then they are pinned.
type narrowProduct struct {
	loop    *Loop
	types   [3]dtype.Type // of a, b and c
	m, n, k int
	a, b, c unsafe.Pointer
}

func (p narrowProduct) String() string {
	return fmt.Sprintf("%v.%v->%v %dx%dx%d", p.types[0], p.types[1], p.types[2], p.m, p.n, p.k)
}

// pinned calls f while what the pointers point at stays where it is: C finds it in memory
// of Go's.
func pinned(f func(), pointers ...unsafe.Pointer) {
	var pins runtime.Pinner
	defer pins.Unpin()
	for _, x := range pointers {
		pins.Pin(x)
	}
	f()
}

// aligned returns size bytes that begin at a multiple of a cache line.
func aligned(size int) []byte {
	const line = 64
	x := make([]byte, size+line)
	for i := range line {
		if uintptr(unsafe.Pointer(&x[i]))%line == 0 {
			return x[i : i+size]
		}
	}
	return x[:size]
}
