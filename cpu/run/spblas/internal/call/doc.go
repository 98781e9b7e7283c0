// Package call is what all calls on sparse matrices have in common: checks of shapes and
// memory, alpha and beta, what needs no kernel, copies of operands, panels of columns,
// tasks and threads, and the epilogue.
//
// A call is a struct without element types, kept between calls. It is cut into tasks, and
// its columns, or features, into panels. A task is some rows or entries of one panel.
package call
