// Package budget says how much memory products pack and keep. Tests of any module of this repository make it small,
// so that products behave as much deeper ones do.
package budget

var (
	// Panel is what packed B may take at once, whatever the machine: half of a usual
	// share of L3.
	Panel = 16 << 20
	// Kept is the most that a buffer keeps between calls of what grows with the operands.
	Kept = 64 << 20
)

// Shrink sets both to a number of bytes, and returns what sets them back.
func Shrink(bytes int) (restore func()) {
	panel, kept := Panel, Kept
	Panel, Kept = bytes, bytes
	return func() { Panel, Kept = panel, kept }
}
