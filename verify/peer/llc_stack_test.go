package peer_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	cpurun "github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// TestLLCStack has llc's kernels called by small products, whose argument block is on
// the stack, where calling C makes that grow. In a process that has the memory of
// stacks unreadable when they were left, a kernel that is given the old address ends it.
func TestLLCStack(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("compiles kernels with another compiler")
	}
	const settings = "efence=1"
	if os.Getenv("GODEBUG") != settings {
		if _, err := peer.FindLLC(); err != nil {
			t.Skip(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestLLCStack$", "-test.v")
		cmd.Env = append(os.Environ(), "GODEBUG="+settings)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestLLCStack") {
			t.Errorf("%v\n%.2000s", err, out)
		}
		return
	}
	for _, target := range llctest.Targets() {
		t.Run(target.Name, func(t *testing.T) {
			m, err := simd.Lower(gemm.Spec[float32, float32, float32, float32]{Name: "SGEMM"}.Describe(), target, simd.Options{})
			if err != nil {
				t.Fatal(err)
			}
			set := dense.Set[float32]{Name: "llc", Variants: []*kernel.Kernels{llctest.Kernels(llctest.Compile(t, target, m.Funcs), m)}}
			opt := cpurun.Options{ISA: target.Name, Threads: 1}
			a, b := layout.New[float32](5, 7), layout.New[float32](7, 9)
			for i := range a.Data {
				a.Data[i] = float32(i)
			}
			for i := range b.Data {
				b.Data[i] = float32(i % 5)
			}
			want := layout.New[float32](5, 9)
			set.Gemm(opt, want, a, b)
			for depth := range 100 { // the stack of a new goroutine is small, and grows at another place each time
				done := make(chan bool)
				go func() {
					defer close(done)
					out := layout.New[float32](5, 9)
					deeper(depth, func() { set.Gemm(opt, out, a, b) })
					if i := llctest.Differs(out.Data, want.Data); i >= 0 {
						t.Errorf("%d steps down: element %d is %v, want %v", depth, i, out.Data[i], want.Data[i])
					}
				}()
				<-done
			}
		})
	}
}

// deeper calls f some steps of the stack further down.
//
//go:noinline
func deeper(steps int, f func()) byte {
	var pad [96]byte
	pad[steps%96] = 1
	if steps > 0 {
		return deeper(steps-1, f) + pad[steps%96]
	}
	f()
	return pad[0]
}
