package rand

import (
	"fmt"
	"math"
	"math/big"
	oracle "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// defined is Philox 4x32-10 as section 3 of the paper defines it, in integers without a
// size: mulhi and mullo are quotient and remainder by 2^32.
func defined(counter [4]uint32, key [2]uint32) (out [4]uint32) {
	word := new(big.Int).Lsh(big.NewInt(1), 32)
	var x [4]*big.Int
	for i, c := range counter {
		x[i] = big.NewInt(int64(c))
	}
	half := func(l, r *big.Int, m, weyl int64, k uint32, round int64) (hi, lo *big.Int) {
		hi, lo = new(big.Int).DivMod(new(big.Int).Mul(big.NewInt(m), l), word, new(big.Int))
		k64 := new(big.Int).Add(big.NewInt(int64(k)), new(big.Int).Mul(big.NewInt(round), big.NewInt(weyl)))
		return hi.Xor(hi, k64.Mod(k64, word)).Xor(hi, r), lo
	}
	for round := range int64(10) {
		b, lo0 := half(x[0], x[3], 0xD2511F53, 0xBB67AE85, key[1], round)
		a, lo1 := half(x[2], x[1], 0xCD9E8D57, 0x9E3779B9, key[0], round)
		x = [4]*big.Int{a, lo1, b, lo0}
	}
	for i := range out {
		out[i] = uint32(x[i].Uint64())
	}
	return out
}

func TestBlock(t *testing.T) {
	const all = math.MaxUint32
	cases := [][6]uint32{{}, {all, all, all, all, all, all}, {1}, {3: 1}, {4: 1}, {5: 1}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}}
	rng := oracle.New(oracle.NewPCG(1, 2))
	for range 100 {
		cases = append(cases, [6]uint32{rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32(), rng.Uint32()})
	}
	for _, c := range cases {
		counter, key := [4]uint32(c[:4]), [2]uint32(c[4:])
		if got, want := Block(counter, key), defined(counter, key); got != want {
			t.Errorf("Block(%x, %x) = %x, want %x", counter, key, got, want)
		}
	}
}

// TestStream: words and pairs of words are those of the blocks, and seeds, streams and places all count.
func TestStream(t *testing.T) {
	seen := map[[4]uint32]Stream{}
	for _, s := range []Stream{{}, {1, 0}, {0, 1}, {1 << 32, 0}, {0, 1 << 32}, {math.MaxUint64, math.MaxUint64}} {
		for _, n := range []uint64{0, 1, 1 << 31, 1 << 32, 1<<62 - 1} {
			b := s.Block(n)
			if other, ok := seen[b]; ok {
				t.Errorf("block %d of %v is also one of %v", n, s, other)
			}
			seen[b] = s
			for i := range uint64(4) {
				if got := s.Uint32(4*n + i); got != b[i] {
					t.Errorf("%v: word %d is %x, want %x", s, 4*n+i, got, b[i])
				}
			}
			for i := range uint64(2) {
				if got, want := s.Uint64(2*n+i), uint64(b[2*i])+uint64(b[2*i+1])<<32; got != want {
					t.Errorf("%v: Uint64(%d) is %x, want %x", s, 2*n+i, got, want)
				}
			}
		}
	}
}

// fills are all ways to fill a slice.
func fills[T Float]() map[string]func(s Stream, first uint64, out []T) {
	return map[string]func(Stream, uint64, []T){
		"uniform": func(s Stream, first uint64, out []T) { Uniform(s, first, out, -3, 5) },
		"normal":  func(s Stream, first uint64, out []T) { Normal(s, first, out, 1, 2) },
		"dropout": func(s Stream, first uint64, out []T) { Dropout(s, first, out, .3) },
	}
}

// TestParts: a slice that is filled in parts, in any order and with any bounds, has the bits
// of one that is filled at once, and each number can be had alone.
func TestParts(t *testing.T) {
	t.Run("float32", parts[float32])
	t.Run("float64", parts[float64])
}

func parts[T Float](t *testing.T) {
	const n = 101
	rng := oracle.New(oracle.NewPCG(3, 4))
	for name, fill := range fills[T]() {
		for _, first := range []uint64{0, 3, 1<<34 - 5} {
			s := Stream{7, 1 << 40}
			whole := make([]T, n)
			fill(s, first, whole)
			for range 20 {
				got, cuts := make([]T, n), []int{0, rng.IntN(n), rng.IntN(n), rng.IntN(n), n}
				slices.Sort(cuts)
				for _, i := range rng.Perm(len(cuts) - 1) {
					fill(s, first+uint64(cuts[i]), got[cuts[i]:cuts[i+1]])
				}
				if d := cmp.Diff(whole, got); d != "" {
					t.Fatalf("%s from %d, cut at %d: (-whole +parts)\n%s", name, first, cuts, d)
				}
			}
		}
	}
}

// TestMoments: means, variances and ends are those of the distributions. The bounds are
// about five standard deviations of the estimates.
func TestMoments(t *testing.T) {
	t.Run("float32", moments[float32])
	t.Run("float64", moments[float64])
}

func moments[T Float](t *testing.T) {
	const n = 1 << 16
	for _, c := range []struct {
		name                     string
		mean, variance, low, top float64
	}{
		{"uniform", 1, 64. / 12, -3, 5},
		{"normal", 1, 4, 1 - 8.6*2, 1 + 8.6*2},
		{"dropout", 1, .3 / .7, 0, 1 / .7},
	} {
		out := make([]T, n)
		fills[T]()[c.name](Stream{Seed: 5}, 0, out)
		mean, variance := 0., 0.
		for _, v := range out {
			mean += float64(v) / n
		}
		for _, v := range out {
			variance += (float64(v) - mean) * (float64(v) - mean) / n
		}
		if d := math.Abs(mean - c.mean); d > 5*math.Sqrt(c.variance/n) {
			t.Errorf("%s: mean %v, want about %v", c.name, mean, c.mean)
		}
		if r := variance / c.variance; r < .96 || r > 1.04 {
			t.Errorf("%s: variance %v, want about %v", c.name, variance, c.variance)
		}
		if low, top := float64(slices.Min(out)), float64(slices.Max(out)); low < c.low || top > c.top+1e-6 {
			t.Errorf("%s: from %v to %v, want %v to %v", c.name, low, top, c.low, c.top)
		}
	}
}

// TestCut: numbers of float32 are those of float64 with fewer digits.
func TestCut(t *testing.T) {
	narrow, wide := make([]float32, 999), make([]float64, 999)
	Uniform(Stream{Seed: 9}, 0, narrow, 0, 1)
	Uniform(Stream{Seed: 9}, 0, wide, 0, 1)
	for i, w := range wide {
		if want := float32(math.Floor(w*0x1p24) * 0x1p-24); narrow[i] != want {
			t.Errorf("number %d is %v, want %v", i, narrow[i], want)
		}
	}
	Normal(Stream{Seed: 9}, 0, narrow, 0, 1)
	Normal(Stream{Seed: 9}, 0, wide, 0, 1)
	for i, w := range wide {
		if narrow[i] != float32(w) {
			t.Errorf("normal number %d is %v, want %v", i, narrow[i], float32(w))
		}
	}
}

func TestDropoutEnds(t *testing.T) {
	ones := make([]float32, 1000)
	Dropout(Stream{}, 0, ones, 0)
	if i := slices.IndexFunc(ones, func(v float32) bool { return v != 1 }); i >= 0 {
		t.Errorf("of p = 0, number %d is %v", i, ones[i])
	}
	for _, p := range []float64{-1e-9, 1, 2, math.NaN()} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, "want 0 <= p < 1") {
					t.Errorf("p = %v: %q", p, msg)
				}
			}()
			Dropout(Stream{}, 0, ones, p)
		}()
	}
}
