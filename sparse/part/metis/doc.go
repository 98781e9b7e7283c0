// Package metis divides graphs with METIS, if the machine has it: the library is loaded when first
// needed, without cgo. On Debian it is in the package libmetis5. TILESMITH_LIBMETIS names its file, or
// its folder, if it is elsewhere.
//
// [part.Make] needs no METIS and minimises what is really sent. What METIS finds is another start for
// it:
//
//	g, err := part.GraphOf(a, part.Model{})
//	starts, err := metis.Starts(g, k, metis.Options{})
//	p, err := part.Make(h, k, part.Options{Starts: starts})
//
// Builds of METIS differ in the width of their integers, and releases in the numbers of their options:
// both are found out by asking the library when it is loaded. METIS 5.1, 5.2 and its later
// state are known.
//
// While METIS computes, SIGABRT and SIGTERM are its own: it sets handlers for both and puts back what was
// there. One call runs at a time for that reason. The library prints to standard output what it has to
// complain about.
package metis
