// Package work shares tasks out among goroutines that all callers have in common.
package work
