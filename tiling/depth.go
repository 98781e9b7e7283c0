package tiling

// KCMax is the depth up to which a product is summed in one go. With it, storing and
// reloading C between k-blocks costs 1/KCMax per multiply. A panel of B of KCMax rows
// is a small part of L2. The order of additions follows from it, so that it is the same
// on every machine.
const KCMax = 1024

// KCTiles is the same, in words, for kernels that multiply whole tiles. These kernels add up
// 16 steps in the time of one, so operands have to come from near caches. With this depth a
// panel of B, two tiles wide, takes 32 KB of L1. Every core with tiles has 48 KB. L2 then
// delivers A in time. Storing and reloading C takes a tenth of a block's products.
const KCTiles = 256
