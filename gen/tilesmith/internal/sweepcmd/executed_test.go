package sweepcmd

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// TestExecuted: verify on arm64 ends with a line of what the machine executed. Portable code, what was skipped,
// and other architectures do not count.
func TestExecuted(t *testing.T) {
	n1 := hardware{"linux", "arm64", "Neoverse N1", machine.CPU{Vendor: "0x41", Family: 8, Model: 3340}, []string{"neondot", "neon", run.Portable}}
	old := hardware{"darwin", "arm64", "a core that is not known", machine.CPU{}, []string{"neon", run.Portable}}
	neon, dot := sweep.Verdict{Kernel: "MatMul", ISA: "neon"}, sweep.Verdict{Kernel: "MatMulOf", ISA: "neondot"}
	wrong := sweep.Verdict{Kernel: "SpMM", ISA: "neon", Failures: []string{"element (0, 1)"}}
	skipped, portable := sweep.Verdict{ISA: "neon", Skipped: "no kernel"}, sweep.Verdict{ISA: run.Portable}
	amd := n1
	amd.goarch = "amd64"
	for _, c := range []struct {
		what string
		on   hardware
		of   []sweep.Verdict
		want string
	}{
		{"two sets", n1, []sweep.Verdict{neon, portable, dot, neon, skipped},
			"first run on hardware: neon neondot, 3 variants, 0 wrong, on Neoverse N1 (0x41 family 8 model 3340, linux/arm64); please report this line: docs/arm64.md"},
		{"a set that no kernel uses, and a wrong kernel", n1, []sweep.Verdict{neon, wrong},
			"first run on hardware: neon, 2 variants, 1 wrong, on Neoverse N1 (0x41 family 8 model 3340, linux/arm64), which also has neondot; please report this line: docs/arm64.md"},
		{"nobody knows it", old, []sweep.Verdict{neon},
			"first run on hardware: neon, 1 variants, 0 wrong, on a core that is not known (an unknown processor, darwin/arm64); please report this line: docs/arm64.md"},
		{"portable code only", n1, []sweep.Verdict{portable, skipped}, ""},
		{"kernels of another architecture", n1, []sweep.Verdict{{ISA: "avx2"}}, ""},
		{"another architecture", amd, []sweep.Verdict{neon}, ""},
	} {
		if have := executed(c.on, c.of); have != c.want {
			t.Errorf("%s: it says\n%q, want\n%q", c.what, have, c.want)
		}
	}
}

// TestVerifyExecuted: the line stands once below what verify prints, not among the data, and on arm64 only.
func TestVerifyExecuted(t *testing.T) {
	var out, log bytes.Buffer
	c := &sweep.Config{Verify: true, Kernels: "SpMV", Types: []string{"f64"}, ISAs: run.PlainISAs()}
	if err := verifySpecs(clitest.Printing(t, &out, &log), c, nil, cli.FormJSON); err != nil {
		t.Fatal(err)
	}
	want := 0
	if runtime.GOARCH == "arm64" && run.ISAs()[0] != run.Portable {
		want = 1
	}
	if n := strings.Count(log.String(), "first run on hardware: neon, "); n != want || strings.Contains(out.String(), "first run") {
		t.Errorf("the line is there %d times, want %d; verify prints %s and says %s", n, want, &out, &log)
	}
	var err bytes.Buffer
	if verifySpecs(clitest.Printing(t, io.Discard, &err), &sweep.Config{Verify: true, Kernels: "SpMV", Types: []string{"f64"}, ISAs: []string{run.Portable}}, nil, cli.FormTable); strings.Contains(err.String(), "first run") {
		t.Errorf("portable code ran, and it says %s", &err)
	}
}
