// Package chain is generated from equations with matrix products in them: a layer of a network, an attention,
// and the equations that train them. Each is one function that goes over blocks of rows. spec.go has the
// equations.
package chain

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
