// Package masks multiplies numbers by masks of dropout as they are drawn, by vector
// instructions and several goroutines.
package masks
