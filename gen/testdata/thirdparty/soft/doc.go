// Package soft is generated from a spec that is not Tilesmith's.
package soft

//go:generate go tool tilesmith run spec.go
