// Package gpu is what `tilesmith run` makes of ../spec.go for GPUs, and what
// `tilesmith gpu` checks and times.
package gpu
