// Package page writes the result of a sweep as one HTML file that needs nothing
// else. It has a roofline as SVG, the machine, the command that measured, and tables.
//
// A roofline (Williams, Waterman and Patterson, "Roofline: an insightful visual
// performance model", CACM 52(4), 2009) shows speed in GFLOP/s over arithmetic
// intensity in flop/byte, both logarithmic. The limit of the arithmetic units is a
// horizontal line, that of a level of memory a slanted one. A kernel is a mark under
// both.
//
// Start with [Data]; [Write] makes the page and [SVG] the picture alone. The same Data
// gives the same bytes. Text may come from anywhere, since it is escaped, and the page
// forbids every script and style but its own.
package page
