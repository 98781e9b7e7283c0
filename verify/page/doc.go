// Package page writes the result of a sweep as one HTML file that needs nothing
// else: a roofline as SVG, the machine, the command that measured, and tables.
//
// A roofline (Williams, Waterman and Patterson, "Roofline: an insightful visual
// performance model", CACM 52(4), 2009) has arithmetic intensity in flop/byte to the
// right and speed in GFLOP/s up, both logarithmic. What the arithmetic units can do
// is a horizontal line, what a level of memory can deliver is a slanted one, and a
// kernel is a mark that lies under both.
//
// Start with [Data], [Write] for the page and [SVG] for the picture alone. The same
// Data gives the same bytes. Text may come from anywhere: it is escaped, and the
// page forbids every script and style but its own.
package page
