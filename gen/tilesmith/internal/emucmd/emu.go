// Package emucmd executes PTX files on an emulator: tilesmith emu.
package emucmd

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// emuFlags is the command line of emu run.
type emuFlags struct {
	kernel, grid, block string
	shared              int
	arch                string
	device              emu.Options
	async               string
	memory              int64 // MiB
	seeds               int
	rtol, atol          float64
	counters            bool
	form                cli.Form
}

// Command executes other people's PTX without a GPU.
func Command() *cobra.Command {
	c := cli.NewCommand("emu COMMAND", "execute a PTX file without a GPU, and report its mistakes",
		func(c *cobra.Command, args []string) error { return cli.Unknown(c, args, "command of emu") },
		func(c *cobra.Command, _ []string) error { return c.Help() })
	c.AddCommand(emuRunCommand(), emuListCommand())
	return c
}

const emuRunLong = `Execute one kernel of a PTX file (of nvcc, Triton, NVRTC, ...) on an emulator, with all
checks: races, bounds, memory and registers that were never written, barriers, misaligned
addresses, deadlocks. A fault names the line of the PTX, and of the source if the file has
.loc lines. There is an argument for each parameter of the kernel:

  f32:1.5  u64:0xff  bf16:2        a number: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64
  x.npy                            a pointer to the array of a file that the kernel reads
  inout:x.npy                      reads and writes; the file is written at the end
  out:f32:32x64                    a pointer to memory that was never written; it is printed
  zero:i32:256                     the same, filled with zeros
  value:x.npy                      the bytes of the array themselves: a structure

Behind an array =FILE.npy says where to save it, and ~FILE.npy what it has to be at the end,
within --rtol and --atol: out:f32:1024=y.npy, inout:x.npy~want.npy. Element types besides
those of numbers are e4m3 and e5m2; where NumPy lacks a type, files hold its bits (u2, u1),
and behind ~ may be any type that has the values.

The exit code is 0 if the kernel ran and what it wrote is as wanted, 1 if not, 2 if the
command line was wrong.`

func emuRunCommand() *cobra.Command {
	var o emuFlags
	var asked func() (cli.Form, error)
	c := cli.NewCommand("run FILE.ptx [FLAGS] [ARG...]", "execute a kernel of a PTX file with all checks",
		func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("emu run takes a PTX file and the arguments of the kernel, as in: tilesmith emu run add.ptx --grid 4 --block 256 x.npy y.npy out:f32:1000=z.npy i32:1000")
			}
			return nil
		}, func(c *cobra.Command, args []string) (err error) {
			if o.form, err = asked(); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return cli.Usage(err)
			}
			return emuRun(cli.ConsoleOf(c), args[0], args[1:], o)
		})
	c.Long = emuRunLong
	flags := c.Flags()
	flags.StringVar(&o.kernel, "kernel", "", "name of the kernel (default: the only one of the file)")
	flags.StringVar(&o.grid, "grid", "1", "blocks: x, x,y or x,y,z")
	flags.StringVar(&o.block, "block", "", "threads of a block: x, x,y or x,y,z (default: what .reqntid says)")
	flags.IntVar(&o.shared, "shared", 0, "bytes of dynamic shared memory")
	flags.BoolVar(&o.counters, "counters", false, "print what instructions did: wavefronts, sectors, flops, by line")
	flags.Float64Var(&o.rtol, "rtol", 1e-5, "after ~: how far floats may differ, relative to the wanted value")
	flags.Float64Var(&o.atol, "atol", 1e-6, "after ~: how far floats may differ in addition")
	flags.StringVar(&o.arch, "arch", "", "the GPU: sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120 (default: sm_90, or what a newer file is for)")
	flags.Uint64Var(&o.device.Seed, "seed", 0, "order of warps and branches; 0 is a plain one")
	flags.IntVar(&o.seeds, "seeds", 1, "run so many times, each in an order of its own, from --seed on")
	flags.StringVar(&o.async, "async", "earliest", "when asynchronous copies are carried out: earliest, latest or random")
	flags.BoolVar(&o.device.NoChecks, "no-checks", false, "do not look for races, or for reads of memory that was never written")
	flags.Int64Var(&o.device.MaxSteps, "max-steps", 0, "instructions of warps that a block may execute (default 100 million)")
	flags.DurationVar(&o.device.MaxTime, "max-time", 20*time.Second, "how long a block may execute")
	flags.Int64Var(&o.memory, "max-memory", 2048, "MiB of global memory")
	flags.IntVar(&o.device.SMs, "sms", 4, "blocks that exist at a time")
	flags.IntVar(&o.device.Workers, "workers", 0, "blocks that execute at a time (default: one a core)")
	asked = cli.FormFlags(c, "one JSON object", cli.FormTable, cli.FormJSON)
	cli.Values(c, "async", "earliest", "latest", "random")
	cli.Values(c, "arch", emuArchs...)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"ptx", "npy"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return c
}

// emuArchs are the GPUs of --arch.
var emuArchs = []string{"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}

// check completes the options of the device.
func (o *emuFlags) check() error {
	switch o.async {
	case "earliest":
	case "latest":
		o.device.Async = emu.Latest
	case "random":
		o.device.Async = emu.Random
	default:
		return fmt.Errorf("--async %s: there is earliest, latest and random", o.async)
	}
	if o.arch != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(o.arch, "sm_"))
		if err != nil || !strings.HasPrefix(o.arch, "sm_") || n < 80 || n >= 130 {
			return fmt.Errorf("--arch %s: there is %s", o.arch, strings.Join(emuArchs, ", "))
		}
		o.device.Major, o.device.Minor = n/10, n%10
	}
	switch {
	case o.shared < 0:
		return fmt.Errorf("--shared %d; from 0", o.shared)
	case o.seeds < 1 || o.seeds > 1_000_000:
		return fmt.Errorf("--seeds %d; from 1 to 1000000", o.seeds)
	case o.memory < 1 || o.memory > math.MaxInt>>20:
		return fmt.Errorf("--max-memory %d; from 1 to %d", o.memory, math.MaxInt>>20)
	case o.device.SMs < 1 || o.device.SMs > 1024:
		return fmt.Errorf("--sms %d; from 1 to 1024", o.device.SMs)
	case o.device.Workers < 0 || o.device.Workers > 1024:
		return fmt.Errorf("--workers %d; from 0 to 1024", o.device.Workers)
	case o.device.MaxSteps < 0:
		return fmt.Errorf("--max-steps %d; from 1, or 0 for 100 million", o.device.MaxSteps)
	case o.device.MaxTime <= 0:
		return fmt.Errorf("--max-time %v; above 0, as in 20s", o.device.MaxTime)
	case !(o.rtol >= 0) || math.IsInf(o.rtol, 0):
		return fmt.Errorf("--rtol %v; a finite number from 0", o.rtol)
	case !(o.atol >= 0) || math.IsInf(o.atol, 0):
		return fmt.Errorf("--atol %v; a finite number from 0", o.atol)
	}
	o.device.MaxBytes = o.memory << 20
	return nil
}

// dimensions reads x, x,y or x,y,z.
func dimensions(flag, s string) (d [3]int, err error) {
	d = [3]int{1, 1, 1}
	parts := strings.Split(s, ",")
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || len(parts) > 3 || n < 1 || n > math.MaxInt32 {
			return d, fmt.Errorf("%s %s; want one to three numbers from 1 to %d, as in 8 or 8,4,1", flag, s, math.MaxInt32)
		}
		d[i] = n
	}
	return d, nil
}

// emuListCommand says what a launch has to give.
func emuListCommand() *cobra.Command {
	var asJSON bool
	c := cli.NewCommand("list FILE.ptx [--json]", "list the kernels of a PTX file and their parameters",
		cli.Exactly(1, "emu list takes one PTX file, as in: tilesmith emu list add.ptx"), func(c *cobra.Command, args []string) error {
			con := cli.ConsoleOf(c)
			text, err := readPTX(args[0])
			if err != nil {
				return err
			}
			kernels, err := emu.Kernels(text)
			if err != nil {
				return placed(args[0], err)
			}
			if asJSON {
				return cli.WriteJSON(con.Out, kernels)
			}
			for _, k := range kernels {
				fmt.Fprintf(con.Out, "%s, line %d%s\n", k.Name, k.Line, threadsOf(k))
				for i, p := range k.Params {
					fmt.Fprintf(con.Out, "  %d  %s\n", i+1, declared(p))
				}
			}
			return nil
		})
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func threadsOf(k emu.Kernel) string {
	t := k.Threads
	switch {
	case t[0] == 0:
		return ""
	case k.Exact:
		return fmt.Sprintf(", blocks of %d,%d,%d threads", t[0], t[1], t[2])
	}
	return fmt.Sprintf(", blocks of at most %d threads", t[0]*t[1]*t[2])
}

// declared is a parameter as PTX writes it.
func declared(p emu.Param) string {
	if p.Array {
		return fmt.Sprintf(".align %d .%s %s, %d bytes", p.Align, p.Type, p.Name, p.Bytes)
	}
	return "." + p.Type + " " + p.Name
}

// readPTX reads a file of text, or the standard input if it is "-".
func readPTX(file string) (string, error) {
	in := os.Stdin
	if file != "-" {
		var err error
		if in, err = os.Open(file); err != nil {
			return "", err
		}
		defer in.Close()
	}
	return readAtMost(in, file, maxPTX)
}
