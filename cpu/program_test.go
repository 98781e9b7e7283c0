package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/mat"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/graph"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// The programs of the examples, on matrices that examples do not have and against
// other ways to the same result.

// realMatrix returns a matrix of the folder with real ones beside the repository, and
// skips the test where there is none.
func realMatrix[T dtype.Float](t *testing.T, name string) sparse.Matrix[T] {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", name+".mtx"))
	if err != nil {
		t.Skip("there is no ../shared/data beside the repository")
	}
	defer f.Close()
	m, err := files.ReadMatrixMarket[T](f, mtx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rmat[T dtype.Float](t *testing.T, n, entries int) sparse.Matrix[T] {
	t.Helper()
	m, err := sample.RMAT[T](n, entries, .57, .19, .19, 7)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// apart returns the greatest difference of two vectors, infinity if they cannot be
// compared.
func apart[T dtype.Float](a, b []T) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if !(d < math.Inf(1)) {
			return math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}

// The ranks solve (1 - damping*P)*rank = (1-damping)/n, where column i of P is where
// the surfer goes from node i.
func TestPageRankSolves(t *testing.T) {
	const n, damping = 60, .85
	a := sample.Random(rmat[float64](t, n, 200), 3)
	positive := make([]float64, a.NNZ())
	for e, v := range a.All() {
		positive[e.K] = 1.5 + v
	}
	a, err := a.WithValues(positive)
	if err != nil {
		t.Fatal(err)
	}
	system, right, dangling := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil), 0
	for i, sum := range aggregate.RowSums(a) {
		right.SetVec(i, (1-damping)/n)
		for j := range n {
			share := 1. / n
			if sum != 0 {
				share = a.At(i, j) / sum
			}
			system.Set(j, i, -damping*share)
		}
		system.Set(i, i, system.At(i, i)+1)
		if sum == 0 {
			dangling++
		}
	}
	if dangling == 0 {
		t.Error("no node is without links: the graph tests too little")
	}
	var want mat.VecDense
	if err := want.SolveVec(system, right); err != nil {
		t.Fatal(err)
	}
	rank, steps := pageRank(a, damping, 1e-14)
	if d := apart(rank, want.RawVector().Data); d > 1e-13 || steps > 300 {
		t.Errorf("%.2g from the solution after %d steps", d, steps)
	}
}

func TestPageRankReal(t *testing.T) {
	for _, name := range []string{"karate", "cora", "pubmed"}[:level.Of(2, 3, 3)] {
		t.Run(name, func(t *testing.T) {
			a := realMatrix[float64](t, name)
			g, err := graph.Of(a)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, a.Rows())
			for id, r := range network.PageRankSparse(g, .85, 1e-12) {
				want[id] = r
			}
			got, _ := pageRank(a, .85, 1e-12)
			if d := apart(got, want); d > 1e-11 {
				t.Errorf("%.2g from gonum's", d)
			}
			if sum := floats.Sum(got); math.Abs(sum-1) > 1e-11 {
				t.Errorf("the shares add up to %v", sum)
			}
		})
	}
}

func TestConjugateGradients(t *testing.T) {
	a, err := laplacian(20)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(level.PCG(1, 1))
	want, b := normal[float64](rng, 400, 1).Data, make([]float64, 400)
	for e, v := range a.All() {
		b[e.I] += v * want[e.J]
	}
	x := normal[float64](rng, 400, 1).Data // to start from
	if _, err := conjugateGradients(x, a, b, 1e-13, 1000); err != nil {
		t.Fatal(err)
	}
	if d := apart(x, want); d > 1e-10 {
		t.Errorf("%.2g from the solution", d)
	}
	if steps, err := conjugateGradients(x, a, b, 1e-10, 0); steps != 0 || err != nil {
		t.Errorf("from the solution: %d steps, %v", steps, err)
	}

	clear(x)
	_, err = conjugateGradients(x, a, b, 1e-13, 3)
	if err == nil || !strings.Contains(err.Error(), "after 3 steps") {
		t.Errorf("three steps: %v", err)
	}
	clear(x)
	indefinite, err := sparse.FromDense(layout.RowMajor([]float64{1, 2, 2, 1}, 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	_, err = conjugateGradients(make([]float64, 2), indefinite, []float64{1, -1}, 1e-13, 1000)
	if err == nil || !strings.Contains(err.Error(), "not positive definite") {
		t.Errorf("an indefinite matrix: %v", err)
	}
}

// A stiffness matrix that is far from well conditioned, the residual computed from
// scratch.
func TestConjugateGradientsReal(t *testing.T) {
	a := realMatrix[float64](t, "bcsstk13")
	b, x := make([]float64, a.Rows()), make([]float64, a.Rows())
	for i := range b {
		b[i] = 1
	}
	steps, err := conjugateGradients(x, a, b, 1e-9, 20*len(b))
	if err != nil {
		t.Fatal(err)
	}
	r := slices.Clone(b)
	for e, v := range a.All() {
		r[e.I] -= v * x[e.J]
	}
	if got := floats.Norm(r, 2) / floats.Norm(b, 2); got > 1e-7 {
		t.Errorf("a relative residual of %.2g after %d steps", got, steps)
	}
}

// Every gradient against a difference along its own axis. The graph is not symmetric,
// so a backward pass that does not transpose is seen.
func TestGCNGradients(t *testing.T) {
	for _, c := range []struct {
		name         string
		f, slope     func(float64) float64
		n, in, width int
	}{
		{"tanh", act.Tanh[float64], act.DTanh[float64], 17, 5, 3},
		{"gelu", act.GELU[float64], act.DGELU[float64], 12, 3, 9},
		{"silu", act.SiLU[float64], act.DSiLU[float64], 9, 1, 1},
		{"relu", act.ReLU[float64], act.DReLU[float64], 17, 8, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			layer, err := newGCN(rmat[float64](t, c.n, 3*c.n), c.f, c.slope)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(level.PCG(1, 1))
			x, w := normal[float64](rng, c.n, c.in), normal[float64](rng, c.in, c.width)
			towards := normal[float64](rng, c.n, c.width)
			_, _, edges := layer.a.CSR()
			for i := range edges {
				edges[i] *= 1 + rng.Float64() // so that they have to be moved
			}
			loss := func() float64 {
				if err := layer.setEdges(edges); err != nil {
					t.Fatal(err)
				}
				return floats.Dot(layer.forward(x, w).Data, towards.Data)
			}
			loss()
			dx, dw, dedges := layer.backward(x, w, towards)
			for _, p := range []struct {
				name            string
				value, gradient []float64
			}{{"features", x.Data, dx.Data}, {"weights", w.Data, dw.Data}, {"edges", edges, dedges}} {
				for i, got := range p.gradient {
					axis := make([]float64, len(p.value))
					axis[i] = 1
					if want := slopeAlong(loss, p.value, axis); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
						t.Fatalf("%s: gradient %d is %v, the difference says %v", p.name, i, got, want)
					}
				}
			}
		})
	}
}

// With r the sums of rows and c those of columns before they are normalised, a*√c is √r
// and aᵀ*√r is √c.
func TestGCNNormalised(t *testing.T) {
	graph := rmat[float64](t, 50, 200)
	layer, err := newGCN(graph, act.Tanh[float64], act.DTanh[float64])
	if err != nil {
		t.Fatal(err)
	}
	rows, cols, got := aggregate.RowSums(graph), aggregate.ColSums(graph), make([]float64, 50)
	for i := range rows {
		rows[i], cols[i] = math.Sqrt(1+rows[i]), math.Sqrt(1+cols[i])
	}
	cpu.SpMV(got, layer.a, cols)
	if d := apart(got, rows); d > 1e-13 {
		t.Errorf("rows: %.2g apart", d)
	}
	cpu.SpMV(got, layer.back, rows)
	if d := apart(got, cols); d > 1e-13 {
		t.Errorf("columns: %.2g apart", d)
	}
}

// In float32 on a real graph, against float64.
func TestGCNReal(t *testing.T) {
	const in, width = 64, 16
	narrow, err := newGCN(realMatrix[float32](t, "cora"), act.GELU[float32], act.DGELU[float32])
	if err != nil {
		t.Fatal(err)
	}
	wide, err := newGCN(realMatrix[float64](t, "cora"), act.GELU[float64], act.DGELU[float64])
	if err != nil {
		t.Fatal(err)
	}
	if !wide.a.Equal(wide.back) {
		t.Error("the graph is symmetric, its normalised matrix is not")
	}
	rng := rand.New(level.PCG(1, 1))
	x, w, dout := normal[float32](rng, narrow.a.Rows(), in), normal[float32](rng, in, width), normal[float32](rng, narrow.a.Rows(), width)
	out := narrow.forward(x, w)
	dx, dw, dedges := narrow.backward(x, w, dout)
	wantOut := wide.forward(widened(x), widened(w))
	wantX, wantW, wantEdges := wide.backward(widened(x), widened(w), widened(dout))
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"out", widened(out).Data, wantOut.Data},
		{"features", widened(dx).Data, wantX.Data},
		{"weights", widened(dw).Data, wantW.Data},
		{"edges", widened(layout.RowMajor(dedges, 1, len(dedges))).Data, wantEdges},
	} {
		size := floats.Norm(c.want, math.Inf(1))
		if d := apart(c.got, c.want); d > 1e-5*size {
			t.Errorf("%s: %.2g apart, of %.2g", c.name, d, size)
		}
	}
}

// widened returns a row-major matrix in float64.
func widened(m layout.Matrix[float32]) layout.Matrix[float64] {
	out := layout.New[float64](m.Rows, m.Cols)
	for i, v := range m.Data {
		out.Data[i] = float64(v)
	}
	return out
}

// A layer of attention in one pass and in three steps, and each head as a layer of its
// own.
func TestTransformer(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testTransformer[float32](t, 1e-5) })
	t.Run("f64", func(t *testing.T) { testTransformer[float64](t, 1e-13) })
}

func testTransformer[T dtype.Float](t *testing.T, bound float64) {
	for _, c := range []struct {
		name            string
		graph           func(t *testing.T) sparse.Matrix[T]
		heads, features int
	}{
		{"empty rows", func(t *testing.T) sparse.Matrix[T] { return rmat[T](t, 100, 150) }, 3, 15},
		{"long rows", func(t *testing.T) sparse.Matrix[T] { return rmat[T](t, 400, 20000) }, 2, 128},
		{"cora", func(t *testing.T) sparse.Matrix[T] { return realMatrix[T](t, "cora") }, 8, 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, rng := c.graph(t), rand.New(level.PCG(1, 1))
			layer := transformer[T]{heads: c.heads}
			for _, w := range []*layout.Matrix[T]{&layer.wq, &layer.wk, &layer.wv} {
				*w = normal[T](rng, c.features, c.features)
				for i := range w.Data {
					w.Data[i] /= T(math.Sqrt(float64(c.features)))
				}
			}
			x := normal[T](rng, s.Rows(), c.features)
			steps, err := layer.inSteps(s, x)
			if err != nil {
				t.Fatal(err)
			}
			out := layer.forward(s, x)
			if d := apart(out.Data, steps.Data); d > bound {
				t.Errorf("%.2g apart", d)
			}
			width := c.features / c.heads
			for h := range c.heads {
				part := func(m layout.Matrix[T]) layout.Matrix[T] { return m.Slice(0, m.Rows, h*width, (h+1)*width) }
				alone := transformer[T]{1, part(layer.wq), part(layer.wk), part(layer.wv)}.forward(s, x)
				for i := range out.Rows {
					if d := apart(part(out).Slice(i, i+1, 0, width).Data[:width], alone.Slice(i, i+1, 0, width).Data[:width]); d > bound {
						t.Fatalf("head %d, row %d: %.2g apart", h, i, d)
					}
				}
			}
		})
	}
}

// The two pruned layers of the challenge against a plain loop. With a bias that is a
// sum of powers of two no sum is rounded, so the bits are the same; with the bias of
// the challenge they need not be.
func TestPrunedNetworkReal(t *testing.T) {
	l1, l2 := realMatrix[float32](t, "dnn-n1024-l1"), realMatrix[float32](t, "dnn-n1024-l2")
	x, rng := layout.New[float32](1024, 100), rand.New(level.PCG(1, 1))
	for i := range x.Data {
		if rng.IntN(100) < i%100 { // column j has j percent of ones
			x.Data[i] = 1
		}
	}
	for _, c := range []struct{ bias, most, bound float64 }{{-5. / 16, 32, 0}, {-5. / 16, .5, 0}, {-.3, 32, 1e-6}, {-.3, .5, 1e-6}} {
		t.Run(fmt.Sprintf("bias=%.4g/most=%g", c.bias, c.most), func(t *testing.T) {
			got := newPrunedNet(float32(c.bias), float32(c.most), l1, l2).run(x)
			want := plainNet(float32(c.bias), float32(c.most), x, l1, l2)
			if d := apart(got.Data, want.Data); d > c.bound {
				t.Errorf("%.2g apart", d)
			}
			silent, full := 0, 0
			for _, v := range want.Data {
				if v == 0 {
					silent++
				} else if v == float32(c.most) {
					full++
				}
			}
			if all := len(want.Data); silent == 0 || silent == all || (full > 0) != (c.most < 1) {
				t.Errorf("%d of %d neurons are silent, %d full: the inputs test too little", silent, all, full)
			}
		})
	}
}

// plainNet is prunedNet.run as loops over entries.
func plainNet(bias, most float32, x layout.Matrix[float32], weights ...sparse.Matrix[float32]) layout.Matrix[float32] {
	for _, w := range weights {
		next := layout.New[float32](w.Cols(), x.Cols)
		for e, v := range w.All() {
			for j := range x.Cols {
				next.Data[e.J*x.Cols+j] += v * x.Data[e.I*x.Cols+j]
			}
		}
		for i, v := range next.Data {
			if v += bias; v < 0 {
				v = 0
			} else if v > most {
				v = most
			}
			next.Data[i] = v
		}
		x = next
	}
	return x
}

// A program has the same result, bit for bit, however many threads its calls use.
func TestProgramsThreads(t *testing.T) {
	defer cpu.SetThreads(0)
	a := rmat[float64](t, 3000, 60000)
	layer, err := newGCN(a, act.Tanh[float64], act.DTanh[float64])
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(level.PCG(1, 1))
	x, w := normal[float64](rng, 3000, 24), normal[float64](rng, 24, 40)
	var want [][]float64
	for threads := 1; threads <= 4; threads++ {
		cpu.SetThreads(threads)
		rank, _ := pageRank(a, .85, 1e-10)
		out := layer.forward(x, w)
		dx, dw, dedges := layer.backward(x, w, out)
		got := [][]float64{rank, out.Data, dx.Data, dw.Data, dedges}
		if threads == 1 {
			want = got
		}
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%d threads: result %d differs by %.2g from that of one", threads, i, apart(got[i], want[i]))
			}
		}
	}
}
