//go:build !unix && !windows

package cli

import "io"

// Progress says nothing where mpb knows no terminals; it is always nil.
type Progress struct{ to io.Writer }

func (*Progress) Say(string, ...any)                              {}
func (*Progress) Step(int, int, string)                           {}
func (*Progress) Stop()                                           {}
func (*Progress) write(to io.Writer, b []byte) (n int, err error) { return to.Write(b) }

func isTerminal(io.Writer) bool { return false }
