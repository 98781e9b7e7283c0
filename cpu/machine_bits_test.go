package cpu_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

const askBits = "TILESMITH_TEST_BITS"

// TestMachineBits: dense and sparse products have the same bits whatever TILESMITH_MACHINE
// says of the caches, of how fast they are, and of what a core does in a cycle.
func TestMachineBits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs itself under other machine files")
	}
	if len(cpu.ISAs()) == 1 {
		t.Skip("there is compiled Go only, which plans nothing")
	}
	if os.Getenv(askBits) != "" {
		bitsOf[float32](t)
		bitsOf[float64](t)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for name, change := range map[string]func(m *machine.Machine){
		"as it is": func(*machine.Machine) {},
		"with small, slow caches": func(m *machine.Machine) {
			m.Caches[machine.L1].Size, m.Caches[machine.L2].Size, m.Caches[machine.L3].Size = 16<<10, 64<<10, 256<<10
			m.Caches[machine.L3].Latency, m.Caches[machine.L3].Read = 1e-7, 5e9
		},
		"with large, fast caches": func(m *machine.Machine) {
			m.Caches[machine.L2].Size, m.Caches[machine.L3].Size = 64<<20, 512<<20
			m.Caches[machine.L2].Read, m.Caches[machine.L3].Read = m.Caches[machine.L1].Read, m.Caches[machine.L1].Read
		},
	} {
		m := machine.Data()
		change(m)
		file := filepath.Join(t.TempDir(), "machine.txt")
		if err := os.WriteFile(file, []byte(m.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "-test.run=^TestMachineBits$", "-test.v")
		cmd.Env = append(os.Environ(), askBits+"=1", "TILESMITH_MACHINE="+file)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var have []string
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "bits ") {
				have = append(have, line)
			}
		}
		switch text := strings.Join(have, ""); {
		case len(have) < 40:
			t.Fatalf("%s: %d lines:\n%s", name, len(have), out)
		case want == "":
			want = text
		case text != want:
			other := strings.Split(want, "\n")
			for i, line := range have {
				if line != other[i]+"\n" {
					t.Errorf("%s: %s, and on another machine %s", name, strings.TrimSpace(line), other[i])
				}
			}
		}
	}
}

// bitsOf prints a sum of the bits of products whose operands are in every level of memory.
func bitsOf[T dtype.Float](t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	random := func(rows, cols int) layout.Matrix[T] {
		x := layout.New[T](rows, cols)
		for i := range x.Data {
			x.Data[i] = T(r.NormFloat64())
		}
		return x
	}
	size := dtype.Of[T]().Size()
	show := func(what string, x []T) {
		h := fnv.New64a()
		h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*size))
		fmt.Printf("bits %v %s %x\n", dtype.Of[T](), what, h.Sum64())
	}
	for _, s := range [][3]int{{300, 300, 300}, {8, 700, 600}, {700, 8, 600}, {64, 900, 1100}, {520, 500, 1030}, {512, 640, 24}} {
		out := layout.New[T](s[0], s[1])
		cpu.MatMul(out, random(s[0], s[2]), random(s[1], s[2]).T())
		show(fmt.Sprint("dense NT ", s), out.Data)
		cpu.MatMul(out, random(s[2], s[0]).T(), random(s[2], s[1]))
		show(fmt.Sprint("dense TN ", s), out.Data)
	}
	for _, s := range [][3]int{{300, 300, 300}, {8, 700, 600}, {700, 8, 600}, {520, 500, 2060}} {
		a, b, out := random(s[0], s[2]), random(s[2], s[1]), layout.New[float32](s[0], s[1])
		x, y := layout.New[dtype.BF16](s[0], s[2]), layout.New[dtype.BF16](s[2], s[1])
		for i, v := range a.Data {
			x.Data[i] = dtype.ToBF16(v)
		}
		for i, v := range b.Data {
			y.Data[i] = dtype.ToBF16(v)
		}
		for _, isa := range []string{"avx512bf16", "avx512", "avx2"} {
			if slices.Contains(cpu.ISAs(), isa) {
				cpu.MatMulOfOpt[float32](cpu.Options{ISA: isa}, out, x, y)
				h := fnv.New64a()
				h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out.Data))), 4*len(out.Data)))
				fmt.Printf("bits %v bf16 %s %v %x\n", dtype.Of[T](), isa, s, h.Sum64())
			}
		}
	}
	const n = 3000
	pattern, err := sample.Uniform[T](n, n, 20, 3)
	if err != nil {
		t.Fatal(err)
	}
	m := sample.Random(pattern, 4)
	for _, features := range level.Of([]int{}, []int{1, 16, 64}, []int{1, 8, 16, 32, 64, 128}) {
		b, out := random(n, features), layout.New[T](n, features)
		cpu.SpMM(out, m, b)
		show(fmt.Sprint("csr ", features), out.Data)
		for _, f := range []format.Format{format.SELL(8, 64), format.CSC, format.DCSR, format.BSR(4)} {
			a, err := format.Pack(m, f)
			if err != nil {
				t.Fatal(err)
			}
			cpu.SpMM(out, a, b)
			show(fmt.Sprint(f.Name, " ", features), out.Data)
		}
		values := make([]T, m.NNZ())
		cpu.SDDMMInto(cpu.SDDMMOptions{}, values, m, random(n, features), random(n, features))
		show(fmt.Sprint("sddmm ", features), values)
		cpu.MulPruned(cpu.Options{}, out, cpu.Prune(m), b)
		show(fmt.Sprint("pruned ", features), out.Data)
		cpu.GraphAttention(cpu.AttentionOptions{}, out, m, random(n, features), random(n, features), b)
		show(fmt.Sprint("attention ", features), out.Data)
		if mask, err := mask.Band(n, 48, 5); err != nil {
			panic(err)
		} else {
			cpu.BlockAttention(cpu.BlockAttentionOptions{}, out, mask.Causal(), random(n, features), random(n, features), b)
		}
		show(fmt.Sprint("block attention ", features), out.Data)
	}
}
