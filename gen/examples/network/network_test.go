package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// little is a run of a second or two.
var little = Plan{
	Sizes: [4]int{pixels, 128, 64, classes}, Train: 6000, Test: 1000, Sample: 300,
	Training: Training{Epochs: 6, Batch: 50, Rate: 2e-3}, Seed: 1, Batches: []int{16},
}

// TestNetwork: a small network learns the task, and is as good in bfloat16 and int8.
func TestNetwork(t *testing.T) {
	var out, log strings.Builder
	reports := little.Run(&out, &log)
	t.Logf("%s%s", &log, &out)
	f32 := reports[0].Accuracy
	if f32 < .87 {
		t.Errorf("accuracy of f32 is %.3f, want .87 at least", f32)
	}
	for i, want := range []struct{ lost, bytes float64 }{{0, 1}, {.01, .51}, {.015, .27}} {
		r := reports[i]
		if r.Accuracy < f32-want.lost {
			t.Errorf("accuracy of %s is %.3f, of f32 %.3f", r.Name(), r.Accuracy, f32)
		}
		if of := float64(r.Bytes()) / float64(reports[0].Bytes()); of > want.bytes {
			t.Errorf("%s takes %.2f of the bytes of f32, want %.2f at most", r.Name(), of, want.bytes)
		}
	}
	if !strings.Contains(out.String(), "| int8 |") {
		t.Errorf("no line of int8: %s", &out)
	}
}

// network is one with random weights and biases, and pictures.
func network() (*Network, *Task) {
	n := NewNetwork([4]int{pixels, 40, 24, classes}, 3)
	for i := range n {
		for j := range n[i].Bias {
			n[i].Bias[j] = float32(j%7-3) / 8
		}
	}
	return n, NewTask(64, 5)
}

// TestInt8 wants the bits of plain loops in every variant: sums, biases, rounding and
// saturation.
func TestInt8(t *testing.T) {
	n, task := network()
	m := Quantise(n, task.Pictures)
	want := make([]float32, 64*classes)
	for i := range 64 {
		in := make([]uint8, pixels)
		for p := range in {
			in[p] = quant.Quantise[uint8](task.Pictures.At(i, p), m.pixel.Scale[0], 0)
		}
		for l := range m.weights {
			w := m.weights[l]
			next := make([]uint8, w.Cols)
			for j := range w.Cols {
				sum := int32(0)
				for k, x := range in {
					sum += int32(x) * int32(w.At(k, j))
				}
				sum += m.bias[l][j]
				y := float32(sum) * m.scale[l][j]
				if l == 2 {
					want[i*classes+j] = y
				} else {
					next[j] = uint8(max(0, min(255, math.RoundToEven(float64(y)))))
				}
			}
			in = next
		}
	}
	for _, isa := range run.ISAs() {
		out := layout.New[float32](64, classes)
		opt := run.Options{ISA: isa}
		m.packed = [3]*run.Packed{} // of the best variant
		m.Convert(task.Pictures)
		m.Logits(opt, out)
		for e, v := range out.Data {
			if v != want[e] {
				t.Fatalf("%s: logit %d of picture %d is %v, want %v", isa, e%classes, e/classes, v, want[e])
			}
		}
	}
}

// TestBFloat16 wants logits that are near those of f32.
func TestBFloat16(t *testing.T) {
	n, task := network()
	near, far := layout.New[float32](64, classes), layout.New[float32](64, classes)
	for m, out := range map[Model]layout.Matrix[float32]{NewFloat32(n): near, NewBFloat16(n): far} {
		m.Convert(task.Pictures)
		m.Logits(run.Options{}, out)
	}
	for e, v := range near.Data {
		if d := math.Abs(float64(v - far.Data[e])); d > .05 {
			t.Fatalf("logit %d of picture %d is %v in bf16, %v in f32", e%classes, e/classes, far.Data[e], v)
		}
	}
}

// TestGradients compares some derivatives with differences of the loss.
func TestGradients(t *testing.T) {
	n, task := network()
	var g, unused Network
	for _, x := range []*Network{&g, &unused} {
		for i := range n {
			x[i] = Layer{layout.New[float32](n[i].Weights.Rows, n[i].Weights.Cols), make([]float32, len(n[i].Bias))}
		}
	}
	n.gradients(&g, task.Pictures, task.Labels)
	for i := range n {
		for _, at := range []int{0, len(n[i].Weights.Data) / 2, len(n[i].Weights.Data) - 1} {
			compare(t, n, &unused, task, &n[i].Weights.Data[at], g[i].Weights.Data[at])
		}
		compare(t, n, &unused, task, &n[i].Bias[1], g[i].Bias[1])
	}
}

func compare(t *testing.T, n, g *Network, task *Task, x *float32, have float32) {
	t.Helper()
	const step = 1e-2
	was := *x
	*x = was + step
	up := n.gradients(g, task.Pictures, task.Labels)
	*x = was - step
	down := n.gradients(g, task.Pictures, task.Labels)
	*x = was
	if want := (up - down) / (2 * step); math.Abs(want-float64(have)) > 1e-3+.05*math.Abs(want) {
		t.Errorf("a derivative is %v, the loss's difference %v", have, want)
	}
}

// TestTask: a task depends on its seed only, has every class, and pictures of 0 to 1.
func TestTask(t *testing.T) {
	a, b, c := NewTask(200, 7), NewTask(200, 7), NewTask(200, 8)
	if !slices.Equal(a.Pictures.Data, b.Pictures.Data) || slices.Equal(a.Pictures.Data, c.Pictures.Data) {
		t.Error("a task is not its seed's")
	}
	seen := [classes]bool{}
	for _, l := range a.Labels {
		seen[l] = true
	}
	if slices.Contains(seen[:], false) {
		t.Errorf("classes among 200 pictures: %v", seen)
	}
	if lo, hi := slices.Min(a.Pictures.Data), slices.Max(a.Pictures.Data); lo < 0 || hi > 1 || hi == lo {
		t.Errorf("pixels are from %v to %v", lo, hi)
	}
}

// TestBytes: bytes of weights are those of their type.
func TestBytes(t *testing.T) {
	n, task := network()
	weights := pixels*40 + 40*24 + 24*classes
	biases := 40 + 24 + classes
	for m, want := range map[Model]int{NewFloat32(n): 4 * (weights + biases), NewBFloat16(n): 2*weights + 4*biases, Quantise(n, task.Pictures): weights + 8*biases} {
		if m.Bytes() != want {
			t.Errorf("%s: %d bytes, want %d", m.Name(), m.Bytes(), want)
		}
	}
}
