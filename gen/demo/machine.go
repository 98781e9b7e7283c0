package demo

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
	cores "github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// machine prints what the numbers below it were measured on.
func machine(out io.Writer) {
	l1, l2, l3 := cores.This().Room()
	fmt.Fprintf(out, "machine\n\n    %s, %d cores; of caches one has L1 %s, L2 %s, L3 %s\n    %s %s/%s\n\n", cpuModel(), runtime.NumCPU(),
		bytesOf(l1), bytesOf(l2), bytesOf(l3), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// cpuModel is what Linux calls the processor.
func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.Map(printable, strings.TrimSpace(model))
			}
		}
	}
	return "a processor that does not say its name"
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

func bytesOf(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%g KiB", float64(n)/(1<<10))
}

// ceilings are the roofs of the machine, for one core.
type ceilings struct {
	flops  map[string]map[dtype.Type]float64 // by ISA and type
	levels []level
}

// level is one level of the memory.
type level struct {
	name      string
	holds     int     // bytes; 0: everything
	bandwidth float64 // bytes/s
}

// measureMachine measures the memory, with the first ISA. The ceilings of the
// multiply-adds are measured together with the products, see [measure].
func measureMachine(s settings) *ceilings {
	l1, l2, l3 := cores.This().Room()
	m := &ceilings{flops: map[string]map[dtype.Type]float64{}}
	// A level is measured with half of what it holds. The data read from memory is four
	// times the last cache, within reason.
	for _, l := range []struct {
		name        string
		holds, size int
	}{{"L1", l1, l1 / 2}, {"L2", l2, l2 / 2}, {"L3", l3, l3 / 2}, {"memory", 0, min(max(4*l3, 64<<20), 256<<20)}} {
		m.levels = append(m.levels, level{l.name, l.holds, roof.Read(s.isas[0], l.size, s.each)})
	}
	return m
}

// of returns the level that holds size bytes.
func (m *ceilings) of(size int) level {
	for _, l := range m.levels {
		if size <= l.holds {
			return l
		}
	}
	return m.levels[len(m.levels)-1]
}

func printMemory(out io.Writer, m *ceilings) {
	rows := [][]string{{"level", "GB/s"}}
	for _, l := range m.levels {
		rows = append(rows, []string{l.name, fmt.Sprintf("%.1f", l.bandwidth/1e9)})
	}
	table(out, "reading by one core", rows)
}
