// Package mem is memory as kernels see it: buffers that are kept between calls, operands
// without their element types, and what their sizes, addresses and strides say.
package mem
