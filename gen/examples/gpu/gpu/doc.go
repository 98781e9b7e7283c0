// Package gpu is what `tilesmith run` makes of ../spec.go for GPUs.
package gpu
