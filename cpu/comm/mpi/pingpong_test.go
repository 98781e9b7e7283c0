package mpi

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// Where other programs keep the cores busy, a message takes as long as one of them may go on: milliseconds.
const messages, rounds = 2000, 5

func init() {
	tasks["pingpong"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			var times []float64
			var before, after runtime.MemStats
			x := make([]byte, 8)
			for round := range rounds + 1 {
				if round == 1 {
					runtime.ReadMemStats(&before)
				}
				began := time.Now()
				if err := pingpong(c, x); err != nil {
					return err
				}
				times = append(times, float64(time.Since(began))/messages/2)
			}
			runtime.ReadMemStats(&after)
			times = times[1:]
			slices.Sort(times)
			fmt.Fprintln(Stdout(c), times[rounds/2], float64(after.Mallocs-before.Mallocs)/(2*messages*rounds))
			return nil
		})
	}
}

func pingpong(c *comm.Comm, x []byte) error {
	other := 1 - c.Rank()
	for range messages {
		if c.Rank() == 0 {
			if err := comm.Send(c, other, 0, x); err != nil {
				return err
			}
		}
		if _, err := comm.Recv(c, other, 0, x); err != nil {
			return err
		}
		if c.Rank() == 1 {
			if err := comm.Send(c, other, 0, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestAllocations: a message allocates nothing.
func TestAllocations(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		if ns, allocations := i.pingpong(t); allocations > .01 {
			t.Errorf("%.3f allocations a message, which took %.0f ns", allocations, ns)
		}
	})
}

func (i installation) pingpong(t testing.TB) (ns, allocations float64) {
	t.Helper()
	r := i.run(t, 2, "pingpong").ok(t)
	if _, err := fmt.Sscan(r.out, &ns, &allocations); err != nil {
		t.Fatalf("printed %q: %v", r.out, err)
	}
	return ns, allocations
}

// mpi4py names a Python that has mpi4py and numpy.
const mpi4py = "TILESMITH_MPI4PY"

// BenchmarkPingPong sends 8 bytes to and fro, in turns with mpi4py's Send and Recv of a
// buffer.
//
// Bound: a message is MPI_Send on one side and MPI_Recv on the other. What Go adds is on
// each side one call through purego, 60 to 120 ns, and after Recv another one, which asks
// for its length.
func BenchmarkPingPong(b *testing.B) {
	python := os.Getenv(mpi4py)
	if python == "" {
		b.Skip(mpi4py + " names no Python with mpi4py and numpy to compare with")
	}
	have, _ := installations()
	for _, i := range have {
		b.Run(i.name, func(b *testing.B) {
			var ours, theirs []float64
			for b.Loop() {
				ns, _ := i.pingpong(b)
				ours = append(ours, ns)
				theirs = append(theirs, i.python(b, python))
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			o, t := ours[len(ours)/2], theirs[len(theirs)/2]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(o, "ns/message")
			b.ReportMetric(t, "mpi4py-ns/message")
			b.ReportMetric(o/t, "of-mpi4py")
		})
	}
}

// python runs the same with mpi4py, on the library that we load.
func (i installation) python(b *testing.B, python string) (ns float64) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, i.mpirun, "-n", "2", python, "testdata/pingpong.py", fmt.Sprint(messages), fmt.Sprint(rounds))
	env := i.env
	switch i.name {
	case "Open MPI":
		env = append([]string{"MPI4PY_MPIABI=openmpi"}, env...)
	case "MPICH":
		// mpi4py knows the library by the name that all but Debian give it.
		dir := b.TempDir()
		if err := os.Symlink(loaded(b, "libmpich.so.12"), filepath.Join(dir, "libmpi.so.12")); err != nil {
			b.Fatal(err)
		}
		env = []string{"MPI4PY_MPIABI=mpich", "LD_LIBRARY_PATH=" + dir}
	}
	r := start(b, ctx, c, env).ok(b)
	if _, err := fmt.Sscan(r.out, &ns); err != nil {
		b.Fatalf("mpi4py printed %q: %v\n%s", r.out, err, r.errs)
	}
	return ns
}

// loaded loads a library and returns its file.
func loaded(b *testing.B, name string) string {
	b.Helper()
	if _, err := dlopen(name); err != nil {
		b.Skip(err)
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if at := strings.IndexByte(s.Text(), '/'); at >= 0 && strings.HasPrefix(filepath.Base(s.Text()[at:]), name) {
			return s.Text()[at:]
		}
	}
	b.Skipf("%s is in no mapped file", name)
	return ""
}
