package gpu_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/gpu/kernels"
)

// machines are the GPUs that a target's text is assembled for: its own, and later ones that have none
// of their own.
var machines = []struct {
	target emit.Target
	archs  []string
}{
	{ptx.SM80, []string{"sm_80"}},
	{ptx.SM86, []string{"sm_86"}},
	{ptx.SM89, []string{"sm_89"}},
	{ptx.SM90, []string{"sm_90", "sm_100", "sm_120"}},
	{ptx.SM90a, []string{"sm_90a"}},
}

// least are the percentages of instructions that multiply, at least, in the main loops of the largest tiles of
// operators: HMMA is one for many products, so tensor cores are busy long before.
var least = map[string]float64{"MatMulF32": 92, "MatMulBF16": 45}

// large reports whether a kernel is of the largest tile, and copies 16 bytes at a time.
var large = regexp.MustCompile(`^[mk][nk]16$`)

// TestMachineCode logs, of each operator and GPU, what percentage of the machine instructions of kernels' main loops
// multiply, and fails where that is less than [least], or registers are spilled. It takes minutes, and a ptxas and a nvdisasm,
// which TILESMITH_PTXAS and TILESMITH_NVDISASM name.
func TestMachineCode(t *testing.T) {
	ptxas, nvdisasm := os.Getenv("TILESMITH_PTXAS"), os.Getenv("TILESMITH_NVDISASM")
	if ptxas == "" || nvdisasm == "" {
		t.Skip("no TILESMITH_PTXAS and TILESMITH_NVDISASM: what the main loops become is not looked at")
	}
	for _, m := range machines {
		for _, s := range specs {
			d := s.Describe()
			if d.A == dtype.TypeF8E4M3 && m.target.Name < "sm_89" {
				continue
			}
			in := filepath.Join(t.TempDir(), "in.ptx")
			if err := os.WriteFile(in, []byte(textOf(t, s, m.target)), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, arch := range m.archs {
				cubin := filepath.Join(t.TempDir(), "out.cubin")
				out, err := exec.Command(ptxas, "-arch="+arch, "-v", "-warn-spills", "-warn-lmem-usage", "-o", cubin, in).CombinedOutput()
				if err != nil {
					t.Errorf("%s %s: %v\n%s", d.Name, arch, err, out)
					continue
				}
				text, err := exec.Command(nvdisasm, "-c", cubin).Output()
				if err != nil {
					t.Fatal(err)
				}
				shares := map[string]float64{}
				for name, code := range functions(string(text)) {
					share, n := multiplies(code)
					kind := regexp.MustCompile(`_(any|parts|[mkn]+\d+)(.*)$`).FindStringSubmatch(name)
					if n == 0 || kind == nil {
						continue // it joins
					}
					shares[kind[1]+kind[2]] = share
				}
				row := fmt.Sprintf("%s %s:", d.Name, arch)
				for _, k := range slices.Sorted(maps.Keys(shares)) {
					row += fmt.Sprintf(" %s %.0f,", k, 100*shares[k])
					if bar := least[d.Name]; large.MatchString(k) && 100*shares[k] < bar {
						t.Errorf("%s %s: of %s %.2f %% multiply, want %v", d.Name, arch, k, 100*shares[k], bar)
					}
				}
				if least[d.Name] > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(shares)), large.MatchString) {
					t.Errorf("%s %s: no kernels of large tiles", d.Name, arch)
				}
				t.Log(strings.TrimSuffix(row, ","))
				for line := range strings.Lines(string(out)) {
					if strings.Contains(line, "arning") {
						t.Errorf("%s %s: %s", d.Name, arch, line)
					}
				}
			}
		}
	}
}

// epilogueMost is how many machine instructions the loop over rows of an epilogue with bias and GELU may have, for
// eight elements.
const epilogueMost = 250

// TestEpilogueCode fails where the epilogue of the stock product with bias and GELU becomes longer, or is no
// straight line: of every kernel of products that stores eight elements at a time. The one that ends tiles which
// CTAs share has up to 251.
func TestEpilogueCode(t *testing.T) {
	ptxas, nvdisasm := os.Getenv("TILESMITH_PTXAS"), os.Getenv("TILESMITH_NVDISASM")
	if ptxas == "" || nvdisasm == "" {
		t.Skip("no TILESMITH_PTXAS and TILESMITH_NVDISASM: what the epilogue becomes is not looked at")
	}
	in, cubin := filepath.Join(t.TempDir(), "in.ptx"), filepath.Join(t.TempDir(), "out.cubin")
	if err := os.WriteFile(in, []byte(kernels.DenseGELUKernels().Targets[0].PTX), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"} {
		if out, err := exec.Command(ptxas, "-arch="+arch, "-o", cubin, in).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", arch, err, out)
		}
		text, err := exec.Command(nvdisasm, "-c", cubin).Output()
		if err != nil {
			t.Fatal(err)
		}
		looked, most := 0, 0
		for name, lines := range functions(string(text)) {
			for _, ops := range loops(lines) {
				rcp, checked := 0, 0
				for _, op := range ops {
					if strings.HasPrefix(op, "MUFU.RCP") {
						rcp++
					}
					if strings.HasPrefix(op, "FCHK") { // whether a quotient needs the slow way
						checked++
					}
				}
				if strings.HasSuffix(name, "_parts") || rcp != 8 || slices.ContainsFunc(ops, func(op string) bool { return strings.HasPrefix(op, "HMMA") }) {
					continue
				}
				looked, most = looked+1, max(most, len(ops))
				if len(ops) > epilogueMost || checked > 0 {
					t.Errorf("%s %s: %d instructions for 8 elements, %d of them FCHK, want at most %d and none", arch, name, len(ops), checked, epilogueMost)
				}
			}
		}
		if looked == 0 {
			t.Errorf("%s: no such loop", arch)
		}
		t.Logf("%s: at most %d instructions in %d loops", arch, most, looked)
	}
}

var (
	section = regexp.MustCompile(`^\.text\.(\w+):`)
	label   = regexp.MustCompile(`^(\.L_\w+):`)
	code    = regexp.MustCompile(`^/\*[0-9a-f]+\*/\s+(?:@!?U?P\d+ )?([A-Z][A-Z0-9_.]*)(.*)`)
	target  = regexp.MustCompile("`\\((\\.L_\\w+)\\)")
)

// functions returns the lines of each function of a disassembly.
func functions(text string) map[string][]string {
	all, name := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := section.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		if name != "" {
			all[name] = append(all[name], line)
		}
	}
	return all
}

// loops returns the instructions of each loop of a function.
func loops(lines []string) (all [][]string) {
	labels, ops := map[string]int{}, []string{}
	for _, line := range lines {
		if m := label.FindStringSubmatch(line); m != nil {
			labels[m[1]] = len(ops)
			continue
		}
		m := code.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		ops = append(ops, m[1])
		if to := target.FindStringSubmatch(m[2]); to != nil && strings.HasPrefix(m[1], "BRA") {
			if from, back := labels[to[1]]; back {
				all = append(all, ops[from:])
			}
		}
	}
	return all
}

// multiplies returns which share of the instructions of a function's main loop multiply, and how many do. The main loop
// is the one with the most of them, without the loops around it.
func multiplies(lines []string) (share float64, n int) {
	best := 0
	for _, ops := range loops(lines) {
		count := 0
		for _, op := range ops {
			if slices.ContainsFunc([]string{"HMMA", "IMMA", "QMMA", "DMMA", "FFMA", "FADD", "FMNMX", "DFMA"}, func(p string) bool { return strings.HasPrefix(op, p) }) {
				count++
			}
		}
		// An outer loop has more of them among much else.
		if part := float64(count) / float64(len(ops)); part*float64(count) > share*float64(best) {
			best, share = count, part
		}
	}
	return share, best
}
