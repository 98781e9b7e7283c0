package gpucmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/device"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// predicted are the products whose times are predicted, by what --types calls them.
var predicted = []struct {
	name string
	set  func() (*run.Set, error)
}{
	{"bf16", made(kernels.MatMulBF16.Kernels)},
	{"f16", made(kernels.MatMulF16.Kernels)},
	{"f16sums", made1(gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "MatMulF16Sums", Operator: gemm.F16Sums}, ptx.SM80)},
	{"tf32", made1(gemm.Spec[float32, float32, float32, float32]{Name: "MatMulTF32", Operator: gemm.TF32}, ptx.SM80)},
	{"f32", made(kernels.MatMulF32.Kernels)},
	{"f64", made1(gemm.Spec[float64, float64, float64, float64]{Name: "MatMulF64"}, ptx.SM80)},
	{"i8", made1(gemm.Spec[int8, int8, int32, int32]{Name: "MatMulI8"}, ptx.SM80)},
	{"f8", made1(gemm.Spec[dtype.F8E4M3, dtype.F8E4M3, float32, float32]{Name: "MatMulF8"}, ptx.SM89)},
	{"maxplus", made(kernels.LongestPath.Kernels)},
	{"gelu", made(kernels.DenseGELUKernels)},
}

func made(f func() *run.Set) func() (*run.Set, error) {
	return func() (*run.Set, error) { return f(), nil }
}

func made1(s kernels.Spec, t emit.Target) func() (*run.Set, error) {
	return func() (*run.Set, error) { return kernels.SetFor("gpu", s, nil, t) }
}

// forty are the shapes that are predicted if none is asked for: squares, layers of networks with
// many rows and with few, much and little of K, sizes that are aligned to nothing, a batch.
const forty = `128,128,128 256,256,256 512,512,512 1024,1024,1024 2048,2048,2048 2560,2560,2560 3072,3072,3072 4096,4096,4096
5120,5120,5120 6144,6144,6144 8192,8192,8192 16384,16384,16384
512,4096,4096 512,12288,4096 512,28672,4096 512,4096,14336 2048,4096,4096 2048,11008,4096 4096,11008,4096 4096,14336,4096
1,4096,4096 8,4096,4096 16,4096,4096 32,4096,4096 64,4096,4096 128,4096,4096 16,14336,4096 16,4096,14336 32,32000,4096
64,64,65536 128,128,16384 256,256,32768 1024,1024,65536
4096,4096,64 8192,8192,128 16384,16384,32
1000,1000,1000 4095,4095,4095 100,100,100000 512,512,64,64`

// shapesOf reads shapes M,N,K or M,N,K,COUNT.
func shapesOf(texts []string) (ps []device.Product, err error) {
	for _, text := range texts {
		p := device.Product{Count: 1}
		parts := strings.Split(text, ",")
		dims := []*int{&p.M, &p.N, &p.K, &p.Count}
		if len(parts) != 3 && len(parts) != 4 {
			return nil, fmt.Errorf("--shape %s: want M,N,K, or M,N,K,COUNT for a batch, as in 4096,4096,4096 or 512,512,64,64", text)
		}
		for i, part := range parts {
			if *dims[i], err = strconv.Atoi(part); err != nil || *dims[i] < 1 {
				return nil, fmt.Errorf("--shape %s: %q is not a size; want a number of at least 1", text, part)
			}
		}
		ps = append(ps, p)
	}
	return ps, nil
}

// predictGPU prints what a model says of products on a GPU that nobody needs to have.
func predictGPU(con *cli.Console, name string, shapes, types []string) error {
	defer con.Bar.Stop()
	if len(shapes) == 0 {
		shapes = strings.Fields(forty)
	}
	ps, err := shapesOf(shapes)
	if err != nil {
		return cli.Usage(err)
	}
	if name == "" {
		err = errors.New("--predict wants a GPU; give --device " + deviceNames("|"))
	}
	d, findErr := device.Find(name)
	if err == nil && findErr != nil {
		err = fmt.Errorf("--device: %w", findErr)
	}
	if err != nil {
		return cli.Usage(err)
	}
	var names []string
	for _, x := range predicted {
		names = append(names, x.name)
	}
	for _, t := range types {
		if !slices.Contains(names, t) {
			return cli.Usagef("--types: there is no %q; there is %s", t, strings.Join(names, ", "))
		}
	}
	fmt.Fprintf(con.Out, "%s: %d SMs at %.0f MHz, predicted by a model that docs/results/gpu-model.md holds against measurements; nothing here is measured\n",
		d.Title, d.SMs, d.Clock)
	for _, x := range predicted {
		if !slices.Contains(types, x.name) {
			continue
		}
		con.Bar.Say("making kernels of %s", x.name)
		set, err := x.set()
		if err != nil {
			return err
		}
		if err := con.Ctx.Err(); err != nil {
			return err
		}
		if err := writePredictions(con.Out, d, x.name, set, ps); err != nil {
			return err
		}
	}
	return nil
}

func deviceNames(sep string) string {
	var names []string
	for i := range device.Devices {
		names = append(names, device.Devices[i].Name)
	}
	return strings.Join(names, sep)
}

// infoOf is what a driver would say of d.
func infoOf(d *device.Device) cuda.Info {
	return cuda.Info{Name: d.Title, Kind: "model", Major: d.Major, Minor: d.Minor, SMs: d.SMs, L2: int64(d.L2),
		SharedPerBlock: int64(d.SharedCTA), RegistersPerSM: 65536, ClockKHz: int(d.Clock * 1000)}
}

// writePredictions writes the table of one type. After the kernel come which operands are copied first, how
// CTAs share tiles, how many an SM has room for and how many waves they are. Then come the bounds that would
// take most of the time alone, and the next best kernel with how much longer it takes.
func writePredictions(w io.Writer, d *device.Device, name string, set *run.Set, ps []device.Product) error {
	fmt.Fprintf(w, "\n%s\n", name)
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "m x n x k\tus\tTFLOP/s\tkernel\tshared\tCTAs/SM\twaves\tbound\tnext")
	for _, p := range ps {
		shape := fmt.Sprintf("%d x %d x %d", p.M, p.N, p.K)
		if p.Count > 1 {
			shape = fmt.Sprintf("%d of %s", p.Count, shape)
		}
		cs, err := run.Plan(set, infoOf(d), p, false, false)
		if err == nil && len(cs) == 0 {
			err = fmt.Errorf("no kernel that suits it can be predicted")
		}
		if err != nil {
			fmt.Fprintf(tw, "%s\trefused: %v\n", shape, err)
			continue
		}
		c, next := cs[0], "-"
		if len(cs) > 1 {
			next = fmt.Sprintf("%s%s %+.0f %% %v", short(cs[1]), sharing(cs[1]), 100*(cs[1].Seconds/c.Seconds-1), cs[1].Bound())
		}
		shared := c.Schedule
		if shared == "" {
			shared = "-"
		}
		fmt.Fprintf(tw, "%s\t%.1f\t%.2f\t%s %v%s\t%s\t%d\t%.2f\t%s\t%s\n", shape, c.Seconds*1e6, c.Rate()/1e12, short(c), c.Tile, copies(c), shared, c.PerSM, c.Waves, c.Because(2), next)
	}
	return tw.Flush()
}

// copies says which operands are copied first, and what of the time that takes.
func copies(c run.Choice) string {
	if c.Pad == "" {
		return ""
	}
	return fmt.Sprintf(", copies %s in %.1f us", strings.Join(strings.Split(c.Pad, ""), " and "), c.Padding*1e6)
}

func sharing(c run.Choice) string {
	if c.Schedule == "" {
		return ""
	}
	return " " + c.Schedule
}

// short is a kernel's name without that of its set and target.
func short(c run.Choice) string { return c.Kernel[strings.LastIndex(c.Kernel, "_")+1:] }
