// Package mesh describes arrays that are spread over ranks: which rank holds which
// block, and which steps turn one such layout into another.
//
// Start with [Mesh]: ranks on a grid with named axes. A [Sharding] cuts dimensions of an
// array along axes and repeats it along the others. You write it as 12{x1,x2} x 12{y1}.
// A rank is one more level of a layout; where sizes divide, [Sharding.Layout] is that
// layout. [Reshard] finds the cheapest [Plan] from one sharding to another within bounds
// of memory.
//
// Nothing here sends anything: package cpu/dist/reshard executes plans. See docs/mesh.md.
package mesh
