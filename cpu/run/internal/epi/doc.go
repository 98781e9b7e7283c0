// Package epi is the epilogue of one call. Package run collects its operands; the loops of
// dense and sparse products run it and join its reductions.
package epi
