package simd

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
)

// checkMove interprets a kernel for m x n elements of size bytes, whose bytes all differ from their
// neighbours', in memory that ends where the last row does.
func checkMove(f *emit.Func, size, m, n, strands int) error {
	kind, _, _ := strings.Cut(f.Name, "_")
	plain, other := [2]int{m, n}, [2]int{n, m}
	if kind != "transpose" {
		other = [2]int{m / strands, n * strands}
	}
	memory := func(name string, shape [2]int, pad int) (*emit.Memory, int) {
		ld := shape[1]*size + pad
		return &emit.Memory{Name: name, Data: make([]byte, max(0, (shape[0]-1)*ld+shape[1]*size))}, ld
	}
	x, ldx := memory("x", plain, 3)
	out, ldout := memory("out", other, 5)
	for i := range x.Data {
		x.Data[i] = byte(i*7 + i/256)
	}
	want := make([]byte, len(out.Data))
	for i := range m {
		for j := range n {
			to := j*ldout + i*size
			if kind != "transpose" {
				to = i/strands*ldout + (j*strands+i%strands)*size
			}
			copy(want[to:to+size], x.Data[i*ldx+j*size:])
		}
	}
	from, to, ldFrom, ldTo := x, out, ldx, ldout
	if kind == "unravel" {
		for i := range m { // what lies between rows is not moved
			copy(x.Data[i*ldx+n*size:min(len(x.Data), (i+1)*ldx)], make([]byte, 3))
		}
		out.Data, want = want, bytes.Clone(x.Data)
		x.Data = make([]byte, len(want))
		from, to, ldFrom, ldTo = out, x, ldout, ldx
	}
	from.ReadOnly = true
	run := &emit.Machine{MaxSteps: 100_000}
	for name, w := range map[string]emit.Word{"a": emit.PtrTo(from, 0), "out": emit.PtrTo(to, 0), "lda": emit.IntWord(int64(ldFrom)), "ldout": emit.IntWord(int64(ldTo)),
		"tiles": emit.IntWord(int64(m / strands)), "n": emit.IntWord(int64(n))} {
		run.Bind(name, w)
	}
	if err := run.Run(f); err != nil {
		return err
	}
	if !bytes.Equal(to.Data, want) {
		return fmt.Errorf("%d x %d: %v, want %v", m, n, to.Data, want)
	}
	return nil
}

// checkMoves does it for all shapes that a kernel is for, as far as its loops tell them apart.
func checkMoves(f *emit.Func, size, side, step, strands int) error {
	if strings.HasPrefix(f.Name, "transpose") {
		strands, step = side, side
	}
	for m := 0; m <= 2; m++ {
		for n := 0; n <= 2; n++ {
			if err := checkMove(f, size, m*strands, n*step, strands); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestMoves interprets every kernel of every target, and its mutants, of which all are seen but those that are the
// same for every n.
func TestMoves(t *testing.T) {
	total, caught, made := 0, 0, 0
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		for _, size := range []int{1, 2, 4, 8} {
			fs, k, err := Moves{Size: size}.Lower(target)
			if err != nil {
				t.Fatal(err)
			}
			side, weave := k.Op("Transpose").MR, k.Op("Weave")
			for _, f := range fs {
				if err := checkMoves(f, size, side, weave.NV, weave.MR); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
				if size == 1 || size == 4 && target.Name == "avx512" {
					continue
				}
				b := breed(f, side)
				made += b.Len()
				for m := range tried(b, 20) {
					if total++; m.Func.Check() != nil || checkMoves(m.Func, size, side, weave.NV, weave.MR) != nil {
						caught++
					} else {
						t.Logf("%s survives: %s", f.Name, m.What)
					}
				}
			}
		}
	}
	if t.Logf("mutants tried %d of %d, caught %d", total, made, caught); caught*100 < total*90 {
		t.Errorf("%d of %d mutants caught, want 90 %%", caught, total)
	}
	if _, _, err := (Moves{Size: 16}).Lower(amd64.AVX2); err == nil || err.Error() != "gemm: kernels move elements of 1, 2, 4 or 8 bytes, not 16" {
		t.Error(err)
	}
}
