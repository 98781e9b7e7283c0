// Package paths has dense products in other arithmetics than + and *: of distances, where
// repeated squaring of a graph's matrix gives the shortest paths between all its
// vertices, and of reachability.
package paths

//go:generate go run github.com/tilesmith/tilesmith/gen/tilesmith run spec.go
