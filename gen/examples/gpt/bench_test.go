package main

import (
	"testing"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// BenchmarkStep is a step of training of the model that the command trains if nothing else is said, on one thread.
func BenchmarkStep(b *testing.B) {
	b.Run("f32", func(b *testing.B) { benchmarkStep(b, transformer.Float32) })
	b.Run("bf16", func(b *testing.B) { benchmarkStep(b, transformer.BFloat16) })
}

func benchmarkStep[S dtype.Elem](b *testing.B, k *transformer.Kernels[S, float32]) {
	const batch, length = 16, 128
	m, err := NewModel(k, Shape{Tokens: 512, Length: length, Layers: 4, Width: 128, Heads: 4, Hidden: 512, Drop: .1}, 1)
	if err != nil {
		b.Fatal(err)
	}
	tokens := make([]int32, batch*length)
	for i := range tokens {
		tokens[i] = int32(i * i % 512)
	}
	adam := transformer.NewAdamW(m.params, 1e-4)
	adam.Clip = 1
	for b.Loop() {
		p := &transformer.Pass{Train: true, Threads: 1}
		if _, err := m.Loss(p, tokens, tokens, length); err != nil {
			b.Fatal(err)
		}
		adam.Update(p)
	}
	b.ReportMetric(float64(b.N*len(tokens))/b.Elapsed().Seconds(), "tokens/s")
}
