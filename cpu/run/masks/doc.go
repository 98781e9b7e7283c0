// Package masks multiplies numbers by dropout masks while it draws them, with vector
// instructions and several goroutines.
package masks
