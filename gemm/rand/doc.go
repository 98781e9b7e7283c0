// Package rand computes random numbers from their places: number i of a stream depends on
// the seed, the stream and i, on nothing before it. Whatever part of a matrix a goroutine
// fills, in whatever order, the numbers are the same, and a mask of dropout can be made
// once more instead of being kept. Start with [Stream]; [Uniform], [Normal] and [Dropout]
// fill slices.
//
// The generator is Philox 4x32 with ten rounds, which is [Block]: Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011. It is not for secrets.
//
// Words, uniform numbers and masks have the same bits on every machine. Normal numbers go
// through logarithms and cosines of package math, whose last bits may differ between
// architectures.
package rand
