//go:build !unix && !windows

package main

import "io"

// progress says nothing where mpb knows no terminals; it is always nil.
type progress struct{ to io.Writer }

func (*progress) say(string, ...any)                              {}
func (*progress) step(int, int, string)                           {}
func (*progress) stop()                                           {}
func (*progress) write(to io.Writer, b []byte) (n int, err error) { return to.Write(b) }

func isTerminal(io.Writer) bool { return false }
