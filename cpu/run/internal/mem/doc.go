// Package mem is memory as kernels see it. It has buffers that are kept between calls,
// and operands without their element types. It also tells what their sizes, addresses
// and strides mean.
package mem
