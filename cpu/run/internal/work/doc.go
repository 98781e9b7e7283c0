// Package work deals tasks out to goroutines that all callers share.
package work
