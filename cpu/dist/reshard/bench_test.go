package reshard_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/reshard"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// BenchmarkReshard brings a matrix from rows to columns on goroutine ranks. MB/s are of the
// whole array; "copy" copies it once, on one core, which is the bound for each copy.
func BenchmarkReshard(b *testing.B) {
	const n = 2048
	b.Run("copy", func(b *testing.B) {
		x, y := make([]float64, n*n), make([]float64, n*n)
		b.SetBytes(8 * n * n)
		for b.Loop() {
			copy(y, x)
		}
	})
	for _, c := range []struct{ name, on, from, to string }{
		{"rows to columns", "x=4", "2048{x} x 2048", "2048 x 2048{x}"},
		{"blocks turned", "x=2,y=2", "2048{x} x 2048{y}", "2048{y} x 2048{x}"},
		{"gather", "x=4", "2048{x} x 2048", "2048 x 2048"},
	} {
		m := mesh.Must(mesh.ParseMesh(c.on))
		p := mesh.Must(mesh.Reshard(mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to)), mesh.Options{}))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(8 * n * n)
			err := comm.Run(m.Size(), func(k *comm.Comm) error {
				r, err := reshard.New[float64](k, p)
				if err != nil {
					return err
				}
				in, out := make([]float64, n*n/p.From.Mesh().Size()), make([]float64, p.Peak)
				for range b.N {
					if err := r.Run(out, in); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(8*float64(p.Sent.Elements)/1e6, "MB-sent/op")
		})
	}
}
