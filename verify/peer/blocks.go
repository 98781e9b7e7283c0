package peer

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Blocks is a sum of products of pairs of dense row-major blocks, C = A[0]*B[0] + A[1]*B[1] + ..., n x n x n
// each. Blocks are of float32, or of bf16 with sums of float32; rows of a block of B of bf16 are pairs of
// rows. Block i begins at element AtA[i] of A and AtB[i] of B.
type Blocks[T dtype.Elem] struct {
	N        int
	A, B     []T
	AtA, AtB []int
	C        []float32
	Form     BlocksForm
}

// BlocksForm is how a library is told where blocks begin.
type BlocksForm int

// The forms: addresses, offsets, and strides, which are those from the first block to the second.
const (
	ByAddress BlocksForm = iota
	ByOffset
	ByStride
)

func (f BlocksForm) String() string { return [...]string{"address", "offset", "stride"}[f] }

// RepeatBlocks returns a function that has g, which is libxsmm of release 2, do the sum times over from C. The error says
// that it generates no kernel for it.
func RepeatBlocks[T dtype.Elem](l *Loop, g *Gemm, p Blocks[T]) (func(times int), error) {
	n := p.N
	for i, at := range p.AtA {
		if at < 0 || at > len(p.A)-n*n || p.AtB[i] < 0 || p.AtB[i] > len(p.B)-n*n || len(p.C) < n*n {
			panic(fmt.Sprintf("peer: block %d of %d x %d begins at %d and %d of %d and %d elements", i, n, n, at, p.AtB[i], len(p.A), len(p.B)))
		}
	}
	if len(p.AtA) > mostBlocks {
		return nil, fmt.Errorf("peer: %d blocks; the loop in C has room for the addresses of %d", len(p.AtA), mostBlocks)
	}
	if g.blocks == nil {
		return nil, fmt.Errorf("peer: %s has no sums of products of blocks that we call", g.Name)
	}
	typ, size, count := dtype.Of[T](), dtype.Of[T]().Size(), len(p.AtA)
	strideA, strideB := 0, 0
	if count > 1 {
		strideA, strideB = (p.AtA[1]-p.AtA[0])*size, (p.AtB[1]-p.AtB[0])*size
	}
	function, err := g.blocks(typ, n, p.Form, strideA, strideB)
	if err != nil {
		return nil, fmt.Errorf("peer: %s: %w", g.Name, err)
	}
	a, b, c := unsafe.Pointer(unsafe.SliceData(p.A)), unsafe.Pointer(unsafe.SliceData(p.B)), unsafe.Pointer(unsafe.SliceData(p.C))
	call := &blocksCall{function: function, a: a, b: b, c: c, count: int64(count)}
	var addresses [2][]unsafe.Pointer
	var offsets [2][]int64
	for i := range count {
		offsets[0], offsets[1] = append(offsets[0], int64(p.AtA[i]*size)), append(offsets[1], int64(p.AtB[i]*size))
		addresses[0], addresses[1] = append(addresses[0], unsafe.Add(a, p.AtA[i]*size)), append(addresses[1], unsafe.Add(b, p.AtB[i]*size))
	}
	return func(times int) {
		var pins runtime.Pinner // C finds all this in memory of Go's
		defer pins.Unpin()
		pin := func(x unsafe.Pointer) unsafe.Pointer { pins.Pin(x); return x }
		pin(a)
		pin(b)
		pin(c)
		switch p.Form {
		case ByAddress:
			call.addresses = 1
			call.a, call.b = pin(unsafe.Pointer(unsafe.SliceData(addresses[0]))), pin(unsafe.Pointer(unsafe.SliceData(addresses[1])))
		case ByOffset:
			call.offsetsA, call.offsetsB = pin(unsafe.Pointer(unsafe.SliceData(offsets[0]))), pin(unsafe.Pointer(unsafe.SliceData(offsets[1])))
		}
		g.onThread(func() { l.blocks(call, int64(times)) })
	}, nil
}

// mostBlocks is MOST of blocks.c.
const mostBlocks = 64

// blocksCall is struct blocks of blocks.c.
type blocksCall struct {
	function           uintptr
	a, b               unsafe.Pointer
	offsetsA, offsetsB unsafe.Pointer
	c                  unsafe.Pointer
	count, addresses   int64
}

// xsmmBatchReduce is libxsmm_gemm_batch_reduce_config.
type xsmmBatchReduce struct {
	form, strideA, strideB int32
	unroll                 uint8
}

// blocksLIBXSMM makes kernels for sums over blocks. A of its column-major product is our b.
func blocksLIBXSMM(lib uintptr) func(t dtype.Type, n int, form BlocksForm, strideA, strideB int) (uintptr, error) {
	return func(t dtype.Type, n int, form BlocksForm, strideA, strideB int) (uintptr, error) {
		var dispatch func(shape xsmmShape, flags, prefetch uint32, config xsmmBatchReduce) uintptr
		if err := Bind(lib, "libxsmm_dispatch_brgemm", &dispatch); err != nil {
			return 0, err
		}
		const betaZero, vnniA, f32, bf16 = 4, 256, 1, 2 // of LIBXSMM_GEMM_FLAG, and of LIBXSMM_DATATYPE
		flags, typ := uint32(betaZero), int32(f32)
		if t == dtype.TypeBF16 {
			flags, typ = flags|vnniA, bf16
		}
		s := int32(n)
		function := dispatch(xsmmShape{s, s, s, s, s, s, typ, typ, f32, f32}, flags, 0, xsmmBatchReduce{form: 1 << form, strideA: int32(strideB), strideB: int32(strideA)})
		if function == 0 {
			return 0, errors.New("it generates no kernel for that")
		}
		return function, nil
	}
}
