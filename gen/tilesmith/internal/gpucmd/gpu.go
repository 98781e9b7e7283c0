// Package gpucmd checks GPU kernels and times them, or predicts how long they take: tilesmith gpu.
package gpucmd

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/driver"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/verify/gpu"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// gpuFlags is the command line of gpu.
type gpuFlags struct {
	checksOnly, resume, emulate, predict bool
	out, kernels, device                 string
	shapes, types                        []string
	budget                               time.Duration
}

// Command checks the stock GPU kernels and times them against cuBLAS, on a machine
// that needs neither Go nor the CUDA toolkit.
func Command() *cobra.Command {
	var o gpuFlags
	c := cli.NewCommand("gpu [--checks-only] [--resume] [--out DIR] [--device N | --emu] | gpu --predict --device NAME", "check the GPU kernels, and time them against cuBLAS; or predict their times without a GPU",
		cli.Exactly(0, "gpu takes flags only, as in: tilesmith gpu --checks-only"), func(c *cobra.Command, _ []string) error {
			if o.predict {
				for _, f := range []string{"checks-only", "resume", "out", "emu", "budget", "kernels"} {
					if c.Flags().Changed(f) {
						return cli.Usagef("--predict runs nothing, so --%s has no meaning; leave it out", f)
					}
				}
				return predictGPU(cli.ConsoleOf(c), o.device, o.shapes, o.types)
			}
			for _, f := range []string{"shape", "types"} {
				if c.Flags().Changed(f) {
					return cli.Usagef("--%s is for --predict", f)
				}
			}
			if o.emulate && c.Flags().Changed("device") {
				return cli.Usagef("--device counts GPUs and --emu wants none; give one of them")
			}
			return checkGPU(cli.ConsoleOf(c), o)
		})
	flags := c.Flags()
	flags.BoolVar(&o.checksOnly, "checks-only", false, "check, save golden vectors, and time nothing")
	flags.BoolVar(&o.resume, "resume", false, "go on with what is in the folder: what passed or was timed is not done again")
	flags.StringVar(&o.out, "out", "tilesmith-gpu", "the folder for the results: five files")
	flags.StringVar(&o.device, "device", "", "which GPU, as the driver counts them (default: 0); to predict: "+deviceNames(", "))
	flags.BoolVar(&o.emulate, "emu", false, "check on the emulator instead, which needs no GPU and has no clock")
	flags.DurationVar(&o.budget, "budget", 8*time.Minute, "timings that do not fit are left out; --resume does them")
	flags.StringVar(&o.kernels, "kernels", "", "some of the functions, as in MatMulBF16,DenseGELU (default: all)")
	flags.BoolVar(&o.predict, "predict", false, "predict times by a model of the GPU, without the GPU")
	flags.StringArrayVar(&o.shapes, "shape", nil, "predict M,N,K, or M,N,K,COUNT for a batch; may be repeated (default: 40 shapes)")
	flags.StringSliceVar(&o.types, "types", []string{"bf16"}, "predict products of these: bf16, f16, f16sums, tf32, f32, f64, i8, f8, maxplus, gelu")
	return c
}

func checkGPU(con *cli.Console, o gpuFlags) error {
	picked, err := stockOf(o.kernels)
	if err != nil {
		return cli.Usage(err)
	}
	defer con.Bar.Stop()
	con.Bar.Say("making kernels")
	if o.budget <= 0 {
		return cli.Usagef("--budget %v; above 0, as in 8m", o.budget)
	}
	number := 0
	if o.device != "" {
		if number, err = strconv.Atoi(o.device); err != nil || number < 0 {
			return cli.Usagef("--device %s: the driver counts GPUs from 0; names are for --predict", o.device)
		}
	}
	d, err := openGPU(o.emulate, number)
	if err != nil {
		return err
	}
	defer d.Close()
	var stock []gpu.Stock
	for _, k := range picked {
		stock = append(stock, k.make())
	}
	defer func() {
		for _, k := range stock {
			k.Set.Forget(d)
		}
	}()
	s := gpu.Session{Dir: o.out, Resume: o.resume, ChecksOnly: o.checksOnly, Budget: o.budget, Stock: stock, Device: d,
		NewRival: func(s cuda.Stream) (*gpu.Rival, error) { return cuBLAS(d, s) }, Log: con.Log, Table: con.Out,
		Context: con.Ctx, Progress: con.Bar.Step}
	return s.Run()
}

// openGPU opens the device that is asked for. Kernels are to be compiled anew, since
// what the driver's cache returns has no log to find fault with.
func openGPU(emulate bool, device int) (cuda.Device, error) {
	if emulate {
		return emu.Open(emu.Options{})
	}
	os.Setenv("CUDA_CACHE_DISABLE", "1")
	d, err := driver.OpenDevice(device)
	if err != nil {
		return nil, fmt.Errorf("not measured on hardware; tilesmith gpu --emu checks the kernels on the emulator: %w", err)
	}
	return d, nil
}

// stockOf picks stock functions by a list of names.
func stockOf(list string) ([]stock, error) {
	all := gpuStock()
	if list == "" {
		return all, nil
	}
	want := strings.Split(list, ",")
	var names []string
	for _, k := range all {
		names = append(names, k.name)
	}
	for _, w := range want {
		if !slices.Contains(names, w) {
			return nil, fmt.Errorf("--kernels: there is no %q; there is %s", w, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(k stock) bool { return !slices.Contains(want, k.name) }), nil
}

// cuBLAS is the library that a stream's products are compared with.
func cuBLAS(d cuda.Device, s cuda.Stream) (*gpu.Rival, error) {
	c, err := peer.OpenCuBLAS(d, s)
	if err != nil {
		return nil, err
	}
	return &gpu.Rival{Name: "cuBLAS " + c.Version, Gemm: c.Gemm}, nil
}
