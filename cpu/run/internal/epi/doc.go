// Package epi is the epilogue of one call: what package run collects in it, and how the
// loops of dense and sparse products run it and join its reductions.
package epi
