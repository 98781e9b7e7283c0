// Package cudatest says what a [cuda.Device] does, as a test that every one of
// them passes: the driver's and the emulator's.
package cudatest
