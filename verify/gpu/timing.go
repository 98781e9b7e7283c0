package gpu

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Rival is the vendor's library of products: for row-major matrices at addresses of
// the device, queued on the stream that it was made for.
type Rival struct {
	Name string
	Gemm func(t dtype.Type, transA, transB bool, m, n, k int, a, b, out uint64) error
}

// Timing is one line of the table: seconds of a launch, 0 where there is nothing to
// compare with.
type Timing struct {
	Kernel, Type, Layout string
	M, N, K              int
	Ours                 float64 // seconds
	Rival                float64 // of the product alone
	Plain                float64 // of a product with an epilogue: ours without
	Separate             float64 // the rival's product and then a kernel for the epilogue
}

// Key says which row it is.
func (r Timing) Key() string {
	return fmt.Sprintf("%s %s %s %dx%dx%d", r.Kernel, r.Type, r.Layout, r.M, r.N, r.K)
}

// job is a row to be.
type job struct {
	stock    Stock
	plain    *Stock // of a product with an epilogue
	separate bool   // compare with a kernel of its own for it
	rival    bool   // the rival has the product
	Timed
}

func (j job) row() Timing {
	return Timing{Kernel: j.stock.Name, Type: j.stock.Type.String(), Layout: j.Layout(), M: j.M, N: j.N, K: j.K}
}

// Sizes of the rows, in the order in which they are worth having.
var (
	squares       = []int{4096, 8192, 1024, 2048, 512, 256}
	fusedK        = []int{128, 256, 512, 1024, 4096} // of 4096 x 4096
	semiringSizes = []int{1024, 4096}
)

// jobs lists the rows for stock functions, by name: products, products with an
// epilogue, other operators.
func jobs(stock []Stock) (list []job) {
	byName := map[string]*Stock{}
	for i := range stock {
		byName[stock[i].Name] = &stock[i]
	}
	square := func(n int) Timed { return Timed{Shape: check.Shape{M: n, N: n, K: n}} }
	for _, n := range squares {
		for _, name := range []string{"MatMulBF16", "MatMulF16", "MatMulF32"} {
			if s := byName[name]; s != nil {
				list = append(list, job{stock: *s, rival: true, Timed: square(n)})
			}
		}
		if s := byName["MatMulBF16"]; s != nil && n == 4096 {
			for _, trans := range [][2]bool{{false, true}, {true, false}, {true, true}} {
				t := square(n)
				t.TransA, t.TransB = trans[0], trans[1]
				list = append(list, job{stock: *s, rival: true, Timed: t})
			}
		}
	}
	if s := byName["DenseGELU"]; s != nil {
		for _, k := range fusedK {
			list = append(list, job{stock: *s, plain: byName["MatMulBF16"], separate: true, rival: true, Timed: Timed{Shape: check.Shape{M: 4096, N: 4096, K: k}}})
		}
	}
	if s := byName["LongestPath"]; s != nil {
		for _, n := range semiringSizes {
			list = append(list, job{stock: *s, Timed: square(n)})
		}
	}
	return list
}

// time does a job on a stream. rival may be nil.
func (j job) time(s cuda.Stream, rival *Rival) (Timing, error) {
	r := j.row()
	size := int64(j.stock.Type.Size())
	bytes := size * int64(j.M*j.K+j.K*j.N+j.M*j.N)
	o, err := j.stock.Operands(s, j.Timed, copies(bytes, s.Device().Info().L2))
	if err != nil {
		return r, err
	}
	defer o.Free()
	launches := []func(i int) error{o.Launch}
	results := []*float64{&r.Ours}
	add := func(to *float64, f func(i int) error) { launches, results = append(launches, f), append(results, to) }
	product := func(i int) error {
		i %= o.Copies
		return rival.Gemm(j.stock.Type, j.TransA, j.TransB, j.M, j.N, j.K, o.A[i], o.B[i], o.Out[i])
	}
	if rival != nil && j.rival {
		add(&r.Rival, product)
	}
	if j.plain != nil {
		p, err := j.plain.Operands(s, j.Timed, o.Copies)
		if err != nil {
			return r, err
		}
		defer p.Free()
		add(&r.Plain, p.Launch)
	}
	if rival != nil && j.separate {
		k, err := newSeparate(s.Device())
		if err != nil {
			return r, err
		}
		bias, err := cuda.Make[float32](s.Device(), j.N)
		if err != nil {
			return r, err
		}
		defer bias.Free()
		if err := bias.Zero(s); err != nil {
			return r, err
		}
		add(&r.Separate, func(i int) error {
			if err := product(i); err != nil {
				return err
			}
			return k.launch(s, o.Out[i%o.Copies], bias.Memory().Address(), j.M, j.N)
		})
	}
	ts, err := times(s, launches...)
	for i := range ts {
		*results[i] = ts[i]
	}
	return r, err
}

// WriteTable writes rows as text. The last two columns are for products with an
// epilogue. They show how much longer these take than the product alone, and how many
// times faster they are than a library's product with a kernel after it.
func WriteTable(w io.Writer, rival string, rows []Timing) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	if rival == "" {
		rival = "library"
	}
	fmt.Fprintf(tw, "kernel\ttype\tlayout\tm x n x k\tTFLOP/s\t%s, TFLOP/s\tshare of it\tover plain\ttimes %s + a kernel\t\n", rival, rival)
	for _, r := range rows {
		flops := 2 * float64(r.M) * float64(r.N) * float64(r.K) / 1e12
		cell := func(x, by float64, format string) string {
			if x == 0 || by == 0 {
				return "-"
			}
			return fmt.Sprintf(format, x/by)
		}
		over := "-"
		if r.Plain > 0 {
			over = fmt.Sprintf("%+.1f %%", 100*(r.Ours/r.Plain-1))
		}
		fmt.Fprintf(tw, "%s\n", strings.Join([]string{r.Kernel, r.Type, r.Layout, fmt.Sprintf("%d x %d x %d", r.M, r.N, r.K),
			cell(flops, r.Ours, "%.2f"), cell(flops, r.Rival, "%.2f"), cell(100*r.Rival, r.Ours, "%.1f %%"), over, cell(r.Separate, r.Ours, "%.2fx"), ""}, "\t"))
	}
	return tw.Flush()
}
