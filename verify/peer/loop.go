package peer

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/child"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

//go:embed loop/loop.c
var loopSource string

//go:embed loop/narrow.c
var narrowSource string

//go:embed loop/blocks.c
var blocksSource string

// A Loop calls a library's product over and over from C. The time of many calls then includes one call from Go into
// C, not one for each product. At 8x8x8 those calls would be most of the time.
type Loop struct {
	float   func(p *calls, times int64)                                                              `c:"peer_loop_float"`
	double  func(p *calls, times int64)                                                              `c:"peer_loop_double"`
	float16 func(p *narrowCall, times int64)                                                         `c:"peer_narrow_float"`
	int8    func(p *narrowCall, times int64)                                                         `c:"peer_narrow_int8"`
	int16   func(p *narrowCall, times int64)                                                         `c:"peer_narrow_int16"`
	xsmm    func(p *narrowCall, times int64)                                                         `c:"peer_narrow_xsmm"`
	blocks  func(p *blocksCall, times int64)                                                         `c:"peer_blocks_xsmm"`
	dnnl    func(function, primitive, stream uintptr, count int64, args *dnnlArg, times int64) int64 `c:"peer_narrow_dnnl"`
}

// OpenLoop compiles the loop with $CC, or else with gcc, cc or clang, whichever is there first. It leaves no file behind. The
// error says what is missing.
func OpenLoop() (*Loop, error) {
	compilers := []string{"gcc", "cc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		compilers = []string{cc}
	}
	var compiler string
	for _, cc := range compilers {
		if _, err := exec.LookPath(cc); err == nil {
			compiler = cc
			break
		}
	}
	if compiler == "" {
		return nil, fmt.Errorf("peer: a loop in C needs a compiler, and there is no %s", strings.Join(compilers, ", "))
	}
	dir, err := os.MkdirTemp("", "peerloop")
	if err != nil {
		return nil, fmt.Errorf("peer: a loop in C: %w", err)
	}
	defer os.RemoveAll(dir) // a library stays loaded after its file is gone
	file := filepath.Join(dir, "loop.so")
	cmd := child.Command(context.Background(), compiler, "-shared", "-fPIC", "-O2", "-o", file, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(loopSource + narrowSource + blocksSource)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := child.Run(cmd); err != nil {
		first, _, _ := strings.Cut(out.String(), "\n")
		return nil, fmt.Errorf("peer: a loop in C: %s: %w: %s", compiler, err, first)
	}
	lib, err := dlopen(file)
	if err != nil {
		return nil, fmt.Errorf("peer: a loop in C: %w", err)
	}
	l := &Loop{}
	if err := bindAll(lib, l); err != nil {
		return nil, fmt.Errorf("peer: a loop in C: %w", err)
	}
	return l, nil
}

// Operand is one matrix of a product, or of Count products, the same one of which start Stride elements apart.
type Operand[T float32 | float64] struct {
	Data   []T
	LD     int // from a stored row to the next
	Stride int
}

// Repeat returns a function that makes g multiply times over. Each time it computes count products C =
// op(A)*op(B), all row-major, m x n x k, whose operands start a Stride apart. Nothing of it is Go but the
// call itself.
//
// Sizes are checked here and now, and are refused as [Gemm] refuses them, by a panic; so is a negative stride. The error says
// that g has no such product ([Gemm.Can]), or is not called from C, as gonum.
func Repeat[T float32 | float64](l *Loop, g *Gemm, transA, transB bool, count, m, n, k int, a, b, c Operand[T]) (func(times int), error) {
	if count < 0 || a.Stride < 0 || b.Stride < 0 || c.Stride < 0 {
		panic(fmt.Sprintf("peer: %d products %d, %d and %d elements apart; want no less than 0", count, a.Stride, b.Stride, c.Stride))
	}
	check(transA, transB, m, n, k, a.last(count), a.LD, b.last(count), b.LD, c.last(count), c.LD)
	typ := dtype.Of[T]()
	if err := g.Can(typ, transA, transB, m, n, k, 1, 0); err != nil {
		return nil, err
	}
	if g.entry == nil {
		return nil, fmt.Errorf("peer: %s has no product that C can call", g.Name)
	}
	function, how := g.entry(product{typ, transA, transB, m, n, k, a.LD, b.LD, c.LD, 1, 0})
	p := &calls{
		function: function, convention: how,
		transA: word(transA), transB: word(transB), m: int64(m), n: int64(n), k: int64(k),
		lda: int64(a.LD), ldb: int64(b.LD), ldc: int64(c.LD),
		count: int64(count), strideA: int64(a.Stride), strideB: int64(b.Stride), strideC: int64(c.Stride),
		a: unsafe.Pointer(unsafe.SliceData(a.Data)), b: unsafe.Pointer(unsafe.SliceData(b.Data)), c: unsafe.Pointer(unsafe.SliceData(c.Data)),
	}
	run := l.float
	if typ == dtype.F64 {
		run = l.double
	}
	if m == 0 || n == 0 {
		return func(int) {}, nil
	}
	return func(times int) {
		var pins runtime.Pinner // C finds the matrices in memory of Go's
		defer pins.Unpin()
		for _, x := range []unsafe.Pointer{p.a, p.b, p.c} {
			pins.Pin(x)
		}
		g.onThread(func() { run(p, int64(times)) })
	}, nil
}

// last is what the last of count products takes of an operand; nothing if that starts beyond its end.
func (o Operand[T]) last(count int) []T {
	if count <= 1 || o.Stride == 0 {
		return o.Data
	}
	if (len(o.Data)-1)/o.Stride < count-1 {
		return nil
	}
	return o.Data[(count-1)*o.Stride:]
}

// calls is struct calls of loop.c.
type calls struct {
	function                               uintptr
	convention                             convention
	transA, transB, m, n, k, lda, ldb, ldc int64
	count, strideA, strideB, strideC       int64
	a, b, c                                unsafe.Pointer
}

// convention is how a function of C is called: the cases of loop.c.
type convention int64

const (
	callCBLAS convention = 1 + iota
	callDNNL
	callXSMM1
	callXSMM2
)

func word(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
