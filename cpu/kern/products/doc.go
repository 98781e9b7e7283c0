// Package products has the products that equations consist of besides operators, as package
// gemm/tpp's MatMul names them: stock kernels, which cpu.MatMul and cpu.MatMulOf have too.
// Generated code imports it.
package products
