// Package cuda runs generated kernels on an NVIDIA GPU without cgo and without the
// CUDA toolkit. Start with a [Device]:
//
//	dev, err := driver.Open() // package cuda/driver: the first GPU
//
// Package cuda/emu has another Open, whose device executes PTX in Go, anywhere.
// Both have one interface, and the same code runs on both. Your program chooses; nothing
// falls back to the emulator, which is many thousand times slower than a GPU. It finds
// mistakes that hardware hides, such as races and reads out of bounds. If a GPU is only
// a convenience, say so:
//
//	dev, err := driver.Open()
//	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
//		dev, err = emu.Open()
//	}
//
// # Data
//
// [Matrix] and [Slice] are to a device what layout.Matrix and []T are to a program:
// views with strides, passed by value, that generated functions take. [From] and
// [Upload] copy to the device, [Matrix.To] and [Slice.Download] back. Work is queued
// on a [Stream]; what copies to the host waits for it.
//
//	s, err := dev.NewStream()
//	a, err := cuda.From(s, hostA)
//	c, err := cuda.New[float32](dev, m, n)
//	... a generated function on c, a, b and s ...
//	hostC, err := c.To(s)
//
// You free memory of a device with Free, or all of it with the device's Close. The
// collector does not know how much is left.
//
// # Errors
//
// Every error wraps one of the Err values where one fits. Its text says which operand
// or limit it is about and what to do. Shapes that do not fit together are a
// layout.ShapeError. The stream reports a kernel's mistake at the next call that
// waits, as [ErrLaunch].
package cuda
