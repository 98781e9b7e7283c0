// Package products has the products in equations, which package gemm/tpp's MatMul names. They are
// the stock kernels of cpu.MatMul and cpu.MatMulOf. Generated code imports it.
package products
