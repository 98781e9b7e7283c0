// Package spgemm multiplies sparse matrices by sparse ones, in plain Go. Rows of the result
// are cut into tasks (call.go), and each is computed in the way that suits it (row.go).
package spgemm
