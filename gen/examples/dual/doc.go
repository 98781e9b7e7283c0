// Package dual multiplies matrices of dual numbers x + y·e, where e·e is 0: what a product does to x
// it does to derivatives along y. The kernels are those of complex numbers.
package dual

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
