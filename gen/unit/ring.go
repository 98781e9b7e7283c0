package unit

// Ring is [Semiring], for gemm/simd until it follows.
type Ring = Semiring

// NewRing is described with [Ring].
var NewRing = NewSemiring
