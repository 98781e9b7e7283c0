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
}
