package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MostBytes is what the operands and the result of one point may take together.
const MostBytes = 2 << 30

// mostFlops bounds the time of one call: half a minute of the fastest cores, hours of
// the portable code.
const mostFlops = 1e13

// A Grid says where kernels are measured. Empty fields are the kernel's choice.
type Grid struct {
	Shapes []Shape
	Ops    []string
	Quick  bool // few of the default workloads
}

// A Shape is that of a product: a is M x K, b is K x N.
type Shape struct{ M, N, K int }

// ParseShapes reads a list such as 64,128x256x512: m x n x k, or one number for all
// three. A product must fit into [MostBytes] at the widest type.
func ParseShapes(list string) ([]Shape, error) {
	var shapes []Shape
	for item := range strings.SplitSeq(list, ",") {
		var dims []int
		for f := range strings.SplitSeq(item, "x") {
			n, err := strconv.Atoi(f)
			if err != nil || n < 1 || n > math.MaxInt32 {
				return nil, fmt.Errorf("%q in the shape %q is not a size; sizes are 1 to %d, as in 64,128x256x512", f, item, math.MaxInt32)
			}
			dims = append(dims, n)
		}
		switch len(dims) {
		case 1:
			shapes = append(shapes, Shape{dims[0], dims[0], dims[0]})
		case 3:
			shapes = append(shapes, Shape{dims[0], dims[1], dims[2]})
		default:
			return nil, fmt.Errorf("the shape %q has %d sizes; give one for a square product or three, MxNxK", item, len(dims))
		}
		if err := shapes[len(shapes)-1].check(8); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// check refuses what would take too much memory, at so many bytes an element, or time.
func (s Shape) check(size int) error {
	m, n, k := float64(s.M), float64(s.N), float64(s.K)
	if b := (m*k + k*n + m*n) * float64(size); b > MostBytes {
		return fmt.Errorf("the shape %dx%dx%d takes %.3g GB; operands and result may take %.3g GB together", s.M, s.N, s.K, b/1e9, float64(MostBytes)/1e9)
	}
	if f := 2 * m * n * k; f > mostFlops {
		return fmt.Errorf("the shape %dx%dx%d is %.3g floating-point operations a call; at most %.0e are timed", s.M, s.N, s.K, f, mostFlops)
	}
	return nil
}

// ops are the ways to store the operands of a product.
var ops = []string{"NN", "NT", "TN", "TT"}

// ParseOps reads a list such as NN,NT: N for an operand as it is, T for one that is
// stored transposed.
func ParseOps(list string) ([]string, error) {
	var all []string
	for op := range strings.SplitSeq(list, ",") {
		if op = strings.ToUpper(op); !slices.Contains(ops, op) {
			return nil, fmt.Errorf("%q says nothing of a and b; there are %s", op, strings.Join(ops, ", "))
		}
		if !slices.Contains(all, op) {
			all = append(all, op)
		}
	}
	return all, nil
}

// denseWorkloads is what a dense product is measured on.
func denseWorkloads(g Grid) []Workload {
	var all []Workload
	add := func(op string, m, n, k int) { all = append(all, Workload{Op: op, M: m, N: n, K: k}) }
	if g.Shapes != nil || g.Ops != nil {
		shapes, list := g.Shapes, g.Ops
		if shapes == nil {
			shapes = []Shape{{64, 64, 64}, {256, 256, 256}, {1024, 1024, 1024}}
		}
		if list == nil {
			list = ops[:1]
		}
		for _, op := range list {
			for _, s := range shapes {
				add(op, s.M, s.N, s.K)
			}
		}
		return all
	}
	sizes := []int{8, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048}
	if g.Quick {
		sizes = []int{64, 256, 1024}
	}
	for _, n := range sizes {
		add("NN", n, n, n)
	}
	if g.Quick {
		return all
	}
	for _, n := range []int{64, 512} {
		for _, op := range ops[1:] {
			add(op, n, n, n)
		}
	}
	add("NN", 8, 2048, 2048)
	add("NN", 2048, 8, 2048)
	return all
}
