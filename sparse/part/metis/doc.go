// Package metis divides graphs with METIS, if the machine has it. It loads the library when first
// needed, without cgo. On Debian the package is libmetis5. If the library is elsewhere,
// TILESMITH_LIBMETIS names its file or folder.
//
// [part.Make] needs no METIS and minimises what is really sent. A partition that METIS finds is
// another start for it:
//
//	g, err := part.GraphOf(a, part.Model{})
//	starts, err := metis.Starts(g, k, metis.Options{})
//	p, err := part.Make(h, k, part.Options{Starts: starts})
//
// Builds of METIS differ in the width of their integers, and releases in the numbers of their options.
// The package asks the library for both when it loads it. It knows METIS 5.1, 5.2 and the state after it.
//
// While METIS computes, it handles SIGABRT and SIGTERM itself, and restores the handlers afterwards. So
// one call runs at a time. The library prints its complaints to standard output.
package metis
