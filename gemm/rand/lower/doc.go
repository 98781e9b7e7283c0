// Package lower lowers the random numbers of package rand to IR for the vector
// instructions of CPUs: [Mask].
package lower
