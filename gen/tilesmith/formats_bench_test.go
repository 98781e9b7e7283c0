package main

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
)

// realMatrices lists the matrices that lie beside the repository.
func realMatrices(t testing.TB) []string {
	t.Helper()
	files, _ := filepath.Glob("../../../shared/data/*.mtx")
	if files == nil {
		t.Skip("there are no real matrices beside this checkout; generated ones are tested all the same")
	}
	return files
}

// BenchmarkRegret reports how much longer a product takes in the format that Advise
// chooses than in the one that turns out fastest, in percent: for every real matrix
// and for graphs whose B is beyond any cache.
func BenchmarkRegret(b *testing.B) {
	for _, file := range realMatrices(b) {
		b.Run(filepath.Base(file), func(b *testing.B) {
			m, err := readMatrix[float32](file, 0, io.Discard)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkRegret(b, m)
		})
	}
	b.Run("rmat", func(b *testing.B) {
		m, err := sample.RMAT[float32](169343, 1166243, .57, .19, .19, 1)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkRegret(b, m)
	})
	b.Run("uniform", func(b *testing.B) {
		m, err := sample.Uniform[float32](169343, 169343, 64, 1)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkRegret(b, m)
	})
}

func benchmarkRegret(b *testing.B, m sparse.Matrix[float32]) {
	o := formatsFlags{features: 128, threads: 1, runs: 11, element: "f32"}
	if err := o.check(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a, err := sparse.Advise(m, o.features, o.machine())
		if err != nil {
			b.Fatal(err)
		}
		r := newReport(b.Name(), dtype.F32, o, a)
		if err := measure(&r, m, a, o, func(string) {}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100**r.Regret, "%regret")
		b.ReportMetric(1e6*a.Best.Seconds, "us-predicted")
		for _, f := range r.Formats {
			if f.Name == r.Choice {
				b.ReportMetric(1e6**f.Measured, "us-measured")
			}
		}
		if testing.Verbose() {
			fmt.Printf("%s: chose %s, fastest %s\n", r.File, r.Choice, r.Fastest)
		}
	}
}
