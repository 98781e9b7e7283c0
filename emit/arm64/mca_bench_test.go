package arm64_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// modelled are cores that LLVM has a model of, the multiply-adds that they start in a cycle
// and how the model's resources begin. LLVM takes another core's model where it has none, and
// before version 16 it did so for all of these.
var modelled = []struct {
	cpu, resource string
	fmas          int
}{{"neoverse-n1", "N1Unit", 2}, {"neoverse-n2", "N2Unit", 2}, {"neoverse-v1", "V1Unit", 4}, {"neoverse-v2", "V2Unit", 4}}

// BenchmarkMainLoops prints what LLVM's machine code analyser says of the loops of the tile
// that products take: cycles of a round over those that the multiply-adds take alone. Nothing
// runs, so that it means the same on every machine. It takes llvm-mca of LLVM 16 or later,
// which TILESMITH_LLVM_MCA names.
func BenchmarkMainLoops(b *testing.B) {
	mca := os.Getenv("TILESMITH_LLVM_MCA")
	if mca == "" {
		b.Skip("TILESMITH_LLVM_MCA names no llvm-mca of LLVM 16 or later")
	}
	for b.Loop() {
		var byPorts []string
		fmt.Printf("\n%-24s %-12s %6s %6s %8s %8s\n", "kernel", "core", "FMAs", "others", "cycles", "of bound")
		for _, x := range []struct {
			spec interface {
				Describe() gemm.Description
			}
			target emit.Target
		}{
			{gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM"}, arm64.NEON},
			{gemm.Spec[float64, float64, float64, float64]{Name: "DGEMM"}, arm64.NEON},
			{gemm.Spec[int8, int8, int32, int32]{Name: "I8"}, arm64.NEONDOT},
			{gemm.Spec[int8, int8, int32, int32]{Name: "I8"}, arm64.NEONI8MM},
			{gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "BF16"}, arm64.NEONBF16},
		} {
			m, err := simd.Lower(x.spec.Describe(), x.target, simd.Options{})
			if err != nil {
				b.Fatal(err)
			}
			name := fmt.Sprintf("_%dx%dtail", m.MR, m.NV*m.VL)
			for _, f := range m.Funcs {
				if !strings.HasSuffix(f.Name, name) {
					continue
				}
				loop := mainLoop(b, mca, x.target, f)
				byPorts = append(byPorts, portRows(x.target, f.Name, loop)...)
				for _, c := range modelled {
					if c.cpu == "neoverse-n1" && (x.target.Name == "neoni8mm" || x.target.Name == "neonbf16") {
						continue // which it lacks
					}
					cycles := analysed(b, mca, c.cpu, c.resource, loop)
					fmas := products(loop)
					fmt.Printf("%-24s %-12s %6d %6d %8.1f %8.2f\n", f.Name, c.cpu, fmas, strings.Count(loop, "\n")-1-fmas, cycles, float64(fmas)/float64(c.fmas)/cycles)
				}
			}
		}
		fmt.Printf("\nby the data of package machine\n%s\n", strings.Join(byPorts, "\n"))
	}
}

// lack says which cores do not have an instruction set.
var lack = map[string]*regexp.Regexp{"neondot": regexp.MustCompile("A57|A72"), "neoni8mm": regexp.MustCompile("A57|A72|A76|N1|M1"), "neonbf16": regexp.MustCompile("A57|A72|A76|N1|M1")}

// portRows are the cycles of a round by the data of package machine, for each core that has the target's
// instructions: as many as products, loads, vector instructions or all of them take, whichever is most.
func portRows(t emit.Target, name, loop string) (rows []string) {
	vector := float64(len(regexp.MustCompile(`(?m)^ *(zip[12]|ext|add|mov) v`).FindAllString(loop, -1)))
	loads := float64(len(regexp.MustCompile(`(?m)^ *(ldr|ldur|ld1r?) [^\n]*`).FindAllString(loop, -1)))
	all, mul := float64(strings.Count(loop, "\n")-1), float64(products(loop))
	for _, m := range machine.Known() {
		if m.Units[0].ISA != "neon" || lack[t.Name] != nil && lack[t.Name].MatchString(m.Name) {
			continue
		}
		u := m.Of(t.Name)
		rate := u.FMA
		if strings.Contains(loop, "bfmmla") && u.BF16 > 0 {
			rate = u.BF16
		}
		cycles := max(mul/rate, (mul+vector)/max(rate, u.FMA), loads/u.Loads, all/u.Issue)
		rows = append(rows, fmt.Sprintf("%-24s %-28s %6.0f %6.0f %8.1f %8.2f", name, m.Name, mul, all-mul, cycles, mul/rate/cycles))
	}
	return rows
}

// multiplies is an instruction that adds products.
var multiplies = regexp.MustCompile(`(?m)^ *(fmla|[su]dot|[su]mmla|bfmmla) `)

func products(loop string) int { return len(multiplies.FindAllString(loop, -1)) }

// mainLoop is the loop of f with the most products, as LLVM disassembles what Go assembles.
func mainLoop(b *testing.B, mca string, target emit.Target, f *emit.Func) string {
	b.Helper()
	if err := emit.Run(f, arm64.Backend{}.Passes(target), nil); err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	if err := (arm64.Backend{}).Print(&text, target, "", []*emit.Func{f}); err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	src := filepath.Join(dir, "f_arm64.s")
	if err := os.WriteFile(src, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	root := strings.TrimSpace(output(b, exec.Command("go", "env", "GOROOT"), ""))
	assemble := exec.Command("go", "tool", "asm", "-S", "-p", "x", "-I", filepath.Join(root, "pkg", "include"), "-o", filepath.Join(dir, "f.o"), src)
	assemble.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	var code strings.Builder
	for _, row := range regexp.MustCompile(`(?m)^\t0x[0-9a-f]{4} ((?:[0-9a-f]{2} ){1,16})`).FindAllStringSubmatch(output(b, assemble, ""), -1) {
		for x := range strings.FieldsSeq(row[1]) {
			code.WriteString("0x" + x + " ")
		}
	}
	mc := strings.Replace(mca, "llvm-mca", "llvm-mc", 1)
	var lines []string
	for l := range strings.Lines(output(b, exec.Command(mc, "-disassemble", "-triple=aarch64", "-mattr=+v8.6a"), code.String())) {
		if l = strings.TrimSpace(strings.ReplaceAll(l, "\t", " ")); l != "" && l[0] != '.' {
			lines = append(lines, l)
		}
	}
	back := regexp.MustCompile(`^(cbnz \w+,|b\.\w+) #-(\d+)$`)
	best, last := "", -1
	for i, l := range lines {
		m := back.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		bytes, _ := strconv.Atoi(m[2])
		from := i - bytes/4
		if loop := "loop:\n" + strings.Join(lines[from:i], "\n") + "\n" + m[1] + " loop\n"; last < from && products(loop) > products(best) {
			best = loop
		}
		last = i
	}
	return best
}

// analysed returns the cycles of a round.
func analysed(b *testing.B, mca, cpu, resource, loop string) float64 {
	b.Helper()
	const rounds = 200
	out := output(b, exec.Command(mca, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations="+strconv.Itoa(rounds)), loop)
	if !strings.Contains(out, "- "+resource) {
		b.Fatalf("%s has no model of %s: no resource is called %s", mca, cpu, resource)
	}
	m := regexp.MustCompile(`Total Cycles: +(\d+)`).FindStringSubmatch(out)
	if m == nil {
		b.Fatalf("%s prints no cycles:\n%.400s", mca, out)
	}
	n, _ := strconv.Atoi(m[1])
	return float64(n) / rounds
}

func output(b *testing.B, c *exec.Cmd, stdin string) string {
	b.Helper()
	c.Stdin = strings.NewReader(stdin)
	out, err := c.CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%.400s", c.Path, err, out)
	}
	return string(out)
}
