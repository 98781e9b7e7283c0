// Package choose picks the variant of a kernel that a call runs.
package choose
