package llctest

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// Race returns the seconds that each function takes: the least of 200 measurements of
// some 200 us. They are taken in turns, so that a change of clock or of the neighbours
// affects all of them.
func Race(fs ...func()) []float64 {
	reps, best := make([]int, len(fs)), make([]float64, len(fs))
	for i, f := range fs {
		for reps[i] = 1; repeat(reps[i], f) < 200e-6; {
			reps[i] *= 2
		}
		best[i] = math.Inf(1)
	}
	for range 200 {
		for i, f := range fs {
			best[i] = min(best[i], repeat(reps[i], f)/float64(reps[i]))
		}
	}
	return best
}

func repeat(n int, f func()) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return time.Since(start).Seconds()
}

// Header returns what a table of speeds says first: the machine, Go and llc.
func Header() string {
	version := "none"
	if c, err := peer.FindLLC(); err == nil {
		version = c.Version
	}
	model := runtime.GOARCH
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		fields := map[string]string{}
		for s := bufio.NewScanner(f); s.Scan(); {
			k, v, _ := strings.Cut(s.Text(), ":")
			fields[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
		if fields["model name"] != "" {
			model = fields["model name"] + ", family " + fields["cpu family"]
		}
	}
	return fmt.Sprintf("machine: %s, %d CPUs, %s; llc %s -O3", model, runtime.NumCPU(), runtime.Version(), version)
}
