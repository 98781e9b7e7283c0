// Package part divides the rows of a sparse matrix among ranks, so that a product
// C = A*B sends few rows of B from one to another.
//
// Start with [ColumnNet], which makes the column-net hypergraph of a matrix, hand it to
// [Make], and look at the [Partition] with [Measure]:
//
//	h, err := part.ColumnNet(a, part.Model{})
//	p, err := part.Make(h, 4, part.Options{})
//	fmt.Println(part.Measure(h, p))
//
// # The model
//
// A vertex of the hypergraph is a row of A, which is computed where its row of C lies.
// A net is a column of A, and so a row of B; its pins are the rows that need it. A net
// with pins in lambda parts makes its owner send lambda-1 copies. So the sum of
// cost*(lambda-1), the connectivity-1 metric km1, is exactly the number of rows sent.
// (Catalyurek and Aykanat, IEEE TPDS 10(7), 1999.)
//
// That holds if the owner of row j of B is among the parts that need it. [Free] ownership
// places it there ([Owners]). Square matrices in iterations x = A*x and in graph neural
// networks have [Conformal] ownership: row j of B lies with row j of C. Then row j is a
// pin of net j whether element (j, j) is stored or not.
//
// # Balance
//
// A part of k may weigh [Limit](h, k, eps): (1+eps) times the mean, rounded up. If vertices
// are too heavy for that, the limit is what you reach by placing the heaviest first on the
// lightest part.
//
// # Halo or cover
//
// What one rank needs from another is a block of A off the diagonal. [Halo] lists the rows
// of B that are sent for each block. [Cover] sends the fewest rows: some of B, and some of
// C, which the sender sums as far as it has the operands.
//
// # Files and pictures
//
// [ReadHGR] and [ReadGraph] read the files of hMETIS and METIS, [ReadParts] a partition; each has its
// writer. [WriteSVG] draws a matrix in the order of its parts.
package part
