package spmm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/mpi"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/cpu/dist/spmm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// rankVariable names what this test binary does as a rank under mpirun.
const rankVariable = "TILESMITH_SPMM_RANK"

// TestSpMMRank is one rank, in a process that TestSpMMUnderMPI and BenchmarkSpMMUnderMPI start.
func TestSpMMRank(t *testing.T) {
	task := map[string]func(c *comm.Comm, out io.Writer) error{"products": mpiProducts, "overlap": mpiOverlap}[os.Getenv(rankVariable)]
	if task == nil {
		t.Skip("no rank of a job")
	}
	err := mpi.Run(1, func(c *comm.Comm) error { return task(c, mpi.Stdout(c)) })
	if err != nil {
		t.Fatal(err)
	}
}

// underMPI runs ranks under every mpirun of this machine, and returns what they print.
func underMPI(t testing.TB, p int, task string) map[string]string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outs := map[string]string{}
	for name, x := range map[string]struct {
		says     string
		commands []string
	}{"Open MPI": {"(Open MPI)", []string{"mpirun.openmpi", "mpirun"}}, "MPICH": {"HYDRA", []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}}} {
		at := slices.IndexFunc(x.commands, func(command string) bool {
			version, err := exec.Command(command, "--version").Output()
			return err == nil && strings.Contains(string(version), x.says)
		})
		if at < 0 {
			t.Logf("there is no mpirun of %s: nothing was run under it", name)
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
		c := exec.CommandContext(ctx, x.commands[at], "-n", fmt.Sprint(p), self, "-test.run", "^TestSpMMRank$")
		c.Env = append(os.Environ(), rankVariable+"="+task, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
			"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl_vader_single_copy_mechanism=none")
		out, err := c.CombinedOutput()
		cancel()
		if strings.Contains(string(out), "with -tags nodl") {
			t.Skip("this build loads no libraries")
		}
		if err != nil {
			t.Errorf("%s, %d ranks: %v\n%s", name, p, err, out)
		}
		outs[name] = string(out)
	}
	if len(outs) == 0 {
		t.Skip("there is no mpirun on this machine")
	}
	return outs
}

// TestSpMMUnderMPI: products, bytes and rows of tables are what they are on goroutines.
func TestSpMMUnderMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("jobs take seconds to start")
	}
	for _, p := range []int{1, 3} {
		for name, out := range underMPI(t, p, "products") {
			if !strings.Contains(out, fmt.Sprintf("right on %d ranks", p)) {
				t.Errorf("%s, %d ranks:\n%s", name, p, out)
			}
		}
	}
}

func mpiProducts(c *comm.Comm, out io.Writer) error {
	const f = 20
	pattern, err := sample.RMAT[float64](700, 9000, .57, .19, .19, 1)
	if err != nil {
		return err
	}
	a := sample.Integers(pattern, 4, 1)
	rows, err := owners(a, c.Size())
	if err != nil {
		return err
	}
	b := layout.New[float64](a.Cols(), f)
	for i := range b.Data {
		b.Data[i] = float64(i%9 - 4)
	}
	for _, opt := range []spmm.Options{{}, {Cover: true}, {Chunks: 4}} {
		share, err := parts.Divide(a, c.Rank(), c.Size(), rows, nil)
		if err != nil {
			return err
		}
		s, err := spmm.New(c, share, opt)
		if err != nil {
			return err
		}
		t, err := s.T()
		if err != nil {
			return err
		}
		for k, s := range []*spmm.Matrix[float64]{s, t} {
			whole := []sparse.Matrix[float64]{a, a.Transpose()}[k]
			want, m := layout.New[float64](a.Rows(), f), (*spmm.Product[float64])(nil)
			cpu.SpMM(want, whole, b)
			if m, err = s.Product(f); err != nil {
				return err
			}
			for i, row := range s.Cols() {
				copy(m.B().Data[i*f:(i+1)*f], b.Data[row*f:])
			}
			y := layout.New[float64](len(s.Rows()), f)
			before := c.Total()
			if err := m.Multiply(cpu.Options{Threads: 1}, y, m.B()); err != nil {
				return err
			}
			for i, row := range s.Rows() {
				if !slices.Equal(y.Data[i*f:(i+1)*f], want.Data[row*f:(row+1)*f]) {
					return fmt.Errorf("%+v: row %d is wrong", opt, row)
				}
			}
			sent := []int64{c.Total().BytesSent - before.BytesSent}
			if err := comm.AllReduce(c, sent, comm.Sum[int64]()); err != nil {
				return err
			}
			traffic, err := spmm.CountTraffic(a, c.Size(), rows, nil, opt.Cover)
			if err != nil {
				return err
			}
			if bytes, _ := traffic.Bytes(f, 8); sent[0] != bytes {
				return fmt.Errorf("%+v: %d bytes were sent, counted are %d", opt, sent[0], bytes)
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	place := layer.CyclicPlacement(c.Size())
	table := layout.New[float64](place.Owned(100, c.Rank()), 3)
	for i := range table.Data {
		table.Data[i] = float64(c.Rank() + c.Size()*(i/3))
	}
	l, err := layer.NewLookup[float64](c, 100, table.Rows, 3, place)
	if err != nil {
		return err
	}
	batch, err := l.Batch([]int64{5, 99, 5, int64(c.Rank())})
	if err != nil {
		return err
	}
	found := layout.New[float64](4, 3)
	if err := batch.Gather(found, table); err != nil {
		return err
	}
	if found.At(0, 0) != 5 || found.At(1, 1) != 99 || found.At(2, 2) != 5 {
		return fmt.Errorf("rows 5, 99 and 5 are %v", found)
	}
	fmt.Fprintf(out, "right on %d ranks\n", c.Size())
	return nil
}

// BenchmarkSpMMUnderMPI is BenchmarkSpMMOverlap for two processes of which each sleeps before
// its messages leave.
func BenchmarkSpMMUnderMPI(b *testing.B) {
	for range b.N {
		for name, out := range underMPI(b, 2, "overlap") {
			for line := range strings.Lines(out) {
				if what, ok := strings.CutPrefix(line, "overlap: "); ok {
					b.Logf("%s: %s", name, what)
				}
			}
		}
	}
}

func mpiOverlap(c *comm.Comm, out io.Writer) error {
	const f = 512
	for _, x := range []struct {
		name string
		make func() (sparse.Matrix[float32], error)
	}{
		{"a banded matrix, most rows of which need nobody", func() (sparse.Matrix[float32], error) { return sample.Banded[float32](8000, 12) }},
		{"a random matrix, all rows of which need others", func() (sparse.Matrix[float32], error) { return sample.Uniform[float32](8000, 8000, 24, 1) }},
	} {
		a, err := x.make()
		if err != nil {
			return err
		}
		rows := make([]int32, a.Rows())
		for i := range rows {
			rows[i] = int32(i * c.Size() / a.Rows())
		}
		share, err := parts.Divide(a, c.Rank(), c.Size(), rows, nil)
		if err != nil {
			return err
		}
		product := func(c *comm.Comm, chunks int, multiply bool) (float64, error) {
			s, err := spmm.New(c, share, spmm.Options{Chunks: chunks})
			if err != nil {
				return 0, err
			}
			m, err := s.Product(f)
			if err != nil {
				return 0, err
			}
			y := layout.New[float32](len(s.Rows()), f)
			var all []float64
			for range 15 {
				if err := c.Barrier(); err != nil {
					return 0, err
				}
				begin := time.Now()
				if multiply {
					err = m.Multiply(cpu.Options{Threads: 1}, y, m.B())
				} else {
					err = m.Each(cpu.Options{Threads: 1}, m.B(), func(spmm.RowBlock[float32]) {})
				}
				if err != nil {
					return 0, err
				}
				all = append(all, time.Since(begin).Seconds())
			}
			slices.Sort(all)
			took := []float64{all[len(all)/2]}
			err = comm.AllReduce(c, took, comm.Max[float64]())
			return took[0], errors.Join(err, s.Close())
		}
		compute, err := product(c, 1, true)
		if err != nil {
			return err
		}
		p, err := part.New(c.Size(), rows)
		if err != nil {
			return err
		}
		blocks, err := part.Halo(a, p, p)
		if err != nil {
			return err
		}
		bytes := float64(part.Volume(blocks) / 2 * 4 * f)
		latency := math.Min(200e-6, compute/4)
		slow, err := comm.Delay(c, cost.Link{Latency: latency, Bandwidth: bytes / (compute - latency)})
		if err != nil {
			return err
		}
		exchange, err := product(slow, 1, false)
		if err != nil {
			return err
		}
		both, err := product(slow, 4, true)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "overlap: %s: product %.2f ms, messages %.2f ms, both in 4 chunks %.2f ms: %.2f of the sum\n",
			x.name, compute*1e3, exchange*1e3, both*1e3, both/(compute+exchange))
	}
	return nil
}
