// Package graph holds sparse products generated from spec.go: what layers of graph
// neural networks and algorithms on graphs look like as Go functions.
package graph

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
