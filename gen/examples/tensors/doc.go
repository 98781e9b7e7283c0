// Package tensors is generated from equations of tensors: softmax, norms, dropout and others,
// each a kernel that keeps its temporaries in registers and L1. spec.go has the equations.
package tensors

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
