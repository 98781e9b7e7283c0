// Package curves has products whose epilogues and sums are mathematical functions.
package curves
