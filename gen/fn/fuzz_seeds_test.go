package fn

// sourceSeeds are functions for FuzzSource: what it, or somebody, once found.
var sourceSeeds = []string{
	// A fused product is not the rounded one: their difference may be all that is left.
	"func f(x float32) float32 { c := float32(1 + 0x1p-13); x = max(c, min(c, x)); return x*x - (1 + 0x1p-12) }",
	"func f(x, y float64) float64 { x = max(0.1, min(0.1, x)); y = max(0.3, min(0.3, y)); return x*y - 0.03 }",
	"func f(x float32) float32 { x = max(0, min(0x1p-80, x)); return -(x*x) + 0 }",
	// What does not compile.
	"func f(x float32) float32 { return }",
	"func f(x float32) float32 { return x, x }",
	"func f(x float32) float32 { y := x; return y } }",
	"func f(x float32) float32 { if x > 0 { return x ] }; re\x01urn -x }",
	// Divisions, shifts and tables, proved and not.
	"func f(x, y int32) int32 { if y == 0 || x < 0 { return 1 }; return x/y + x%y<<uint(y) }",
	"func f(x, y uint8) uint8 { if y != 0 { x /= y }; return x << y >> (y & 3) }",
	"func f(x int64, k int) int64 { if k < 0 { return x >> 3 }; return x >> k / 1 % -7 }",
	"func f(i uint16, x float32) float32 { return codes[i%16] * x + codes[i>>12] }",
	"func f(i int32) int32 { if i >= 0 && i < 10 { return offsets[i] }; return offsets[i] }",
	"func f(x uint64) int { return bits.Len64(x) - bits.OnesCount64(x&-x) }",
	"func f(x, y float32) float32 { for i := 0; i < 64 && x < y; i++ { if x*x > 9 { return x }; x++ }; return y }",
	"func f(x float32) float32 { codes[0] = x; return codes[1] }",
}
