// Package paths has products in other arithmetics than + and *: of distances, where
// repeated squaring of a graph's matrix gives the shortest paths between all its
// vertices, and relaxing its edges those from one; and of reachability. What spec.go
// generates is most of a megabyte, so a test does it, in a module of its own.
package paths
