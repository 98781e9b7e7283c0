package tiling

// KCMax is the depth up to which a product is summed in one go: with it the cost
// of storing and reloading C between k-blocks is 1/KCMax per multiply, and a panel
// of B of KCMax rows is a small part of L2. The order of additions follows from it, so
// that it is the same on every machine.
const KCMax = 1024

// KCTiles is the same, in words, for kernels that multiply whole tiles. These add up 16 steps
// in the time of one, so that operands have to come from near: with it a panel of B, two tiles
// wide, takes 32 KB of the 48 KB of L1 that every core with tiles has, and L2 delivers A in
// time. Storing and reloading C takes a tenth of a block's products.
const KCTiles = 256
