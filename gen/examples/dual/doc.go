// Package dual multiplies matrices of dual numbers x + y·e, where e·e is 0. The y of a product is
// the derivative of its x. The kernels are those of complex numbers.
package dual

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
