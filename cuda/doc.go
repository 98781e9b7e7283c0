// Package cuda runs generated kernels on an NVIDIA GPU without cgo and without the
// CUDA toolkit. A [Device] comes from cuda/driver, where there is a driver, or from
// cuda/emu anywhere: the same interface in Go, which executes PTX text and reports
// what hardware keeps quiet.
package cuda
