// Package products has one product for GPUs of each kind. What spec.go generates is
// megabytes, so a test does it, in a module of its own.
package products
