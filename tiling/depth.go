package tiling

// KCMax is the depth up to which a product is summed in one go: with it the cost
// of storing and reloading C between k-blocks is 1/KCMax per multiply, and a panel
// of B of KCMax rows is a small part of L2. The order of additions follows from it, so
// that it is the same on every machine.
const KCMax = 1024
