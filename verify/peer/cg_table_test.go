package peer_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/solve"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// BenchmarkCGTable prints the time of a step of conjugate gradients with Jacobi's
// preconditioner against SciPy's: 50 steps, one thread a side, in turns, medians, and the
// residuals that both are left with.
//
//	VIRTUAL_ENV=(where pip installed scipy) go test -run '^$' -bench CGTable -benchtime 1x ./verify/peer
func BenchmarkCGTable(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const steps = 50
	python := exec.Command(filepath.Join(os.Getenv("VIRTUAL_ENV"), "bin", "python"), filepath.Join("testdata", "cg.py"))
	python.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	python.Stderr = os.Stderr
	in, err := python.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	pipe, err := python.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := python.Start(); err != nil {
		b.Skip("VIRTUAL_ENV names no folder with Python and SciPy: ", err)
	}
	defer func() {
		_ = in.Close()
		_ = python.Wait()
	}()
	out := bufio.NewReader(pipe)
	version, err := out.ReadString('\n')
	if err != nil {
		b.Skip("Python has no SciPy: ", err)
	}
	fmt.Printf("\nmachine: %s, %s, %s", cpuModel(), runtime.Version(), version)
	for _, name := range []string{"bcsstk13", "poisson 100", "poisson 1000"} {
		var a sparse.Matrix[float64]
		key := name
		if n := 0; name != "bcsstk13" {
			fmt.Sscanf(name, "poisson %d", &n)
			a, err = poisson(n)
		} else if key = filepath.Join("..", "..", "..", "shared", "data", "bcsstk13.mtx"); err == nil {
			a, err = readF64(key)
		}
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		m, err := solve.Jacobi(a)
		if err != nil {
			b.Fatal(err)
		}
		right, x := make([]float64, a.Rows()), make([]float64, a.Rows())
		for i := range right {
			right[i] = 1
		}
		var ours, theirs []float64
		var our solve.Result
		var residual float64
		for range 9 {
			var seconds float64
			fmt.Fprintln(in, key, steps)
			if _, err := fmt.Fscan(out, &seconds, &residual); err != nil {
				b.Fatal(err, io.ErrUnexpectedEOF)
			}
			clear(x)
			start := time.Now()
			our, err = solve.CG(x, solve.Sparse[float64](one, a), right, solve.Options[float64]{Relative: 1e-300, Steps: steps, Precondition: m, Threads: 1})
			ours, theirs = append(ours, time.Since(start).Seconds()/steps), append(theirs, seconds)
			if !errors.Is(err, solve.ErrSteps) {
				b.Fatal(our, err)
			}
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		fmt.Printf("%-13s %8d rows %8d entries  %9.1f us a step  scipy %5.2fx  residual %.9g, scipy's %.9g\n", name, a.Rows(), a.NNZ(),
			1e6*ours[len(ours)/2], theirs[len(theirs)/2]/ours[len(ours)/2], our.Relative, residual)
	}
	quiet(b)
}

// readF64 reads a matrix with its values.
func readF64(path string) (sparse.Matrix[float64], error) {
	f, err := os.Open(path)
	if err != nil {
		return sparse.Matrix[float64]{}, err
	}
	defer f.Close()
	return files.ReadMatrixMarket[float64](f, mtx.Options{})
}
