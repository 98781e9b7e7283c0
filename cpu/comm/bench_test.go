package comm

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkPingPong: ns/op is one way.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 1 << 10, 16 << 10, 64 << 10, 1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			err := Run(2, func(c *Comm) error {
				x := bytes.Repeat([]byte{1}, n)
				if c.Rank() == 0 {
					b.ResetTimer()
				}
				for i := range b.N {
					var err error
					if i%2 == c.Rank() {
						err = Send(c, 1-c.Rank(), 0, x)
					} else {
						_, err = Recv(c, 1-c.Rank(), 0, x)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkCopy is the bound of messages: copying the same bytes.
func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{64 << 10, 1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			x, y := bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{2}, n)
			for b.Loop() {
				copy(x, y)
			}
		})
	}
}

func BenchmarkAllReduce(b *testing.B) {
	for _, p := range []int{2, 4, 8} {
		for _, n := range []int{1, 512, 2048, 8192, 1 << 20} {
			b.Run(fmt.Sprintf("ranks=%d/f64=%d", p, n), func(b *testing.B) {
				b.SetBytes(int64(8 * n))
				b.ReportAllocs()
				err := Run(p, func(c *Comm) error {
					x := make([]float64, n)
					for range b.N {
						if err := AllReduce(c, x, Sum[float64]()); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
