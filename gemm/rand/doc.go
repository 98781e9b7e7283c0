// Package rand computes random numbers from their positions: number i of a stream depends on
// the seed, the stream and i only. The numbers are the same whichever part of a matrix a
// goroutine fills, and in whatever order. So you can make a dropout mask again instead of
// keeping it. Start with [Stream]; [Uniform], [Normal] and [Dropout] fill slices.
//
// The generator is Philox 4x32 with ten rounds, which [Block] computes. See Salmon,
// Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011. It is not
// for secrets.
//
// Words, uniform numbers and masks have the same bits on every machine. Normal numbers go
// through logarithms and cosines of package math, whose last bits may differ between
// architectures.
package rand
