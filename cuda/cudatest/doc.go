// Package cudatest specifies a [cuda.Device] as a test, which the driver's device and
// the emulator's pass.
package cudatest
