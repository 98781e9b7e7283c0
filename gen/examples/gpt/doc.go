// Command gpt trains a small GPT on text and has it write some more:
//
//	go run ./gen/examples/gpt                         # two minutes on the documentation around it, then a page
//	go run ./gen/examples/gpt -text notes -minutes 10 # on files, or folders of them, of your own
//	go run ./gen/examples/gpt -weights gpt.weights -minutes 0 -prompt "A kernel"
//
// Tokens are frequent sequences of bytes, which it finds first. The network is an embedding, blocks of causal attention with two layers behind it, and a head, all of
// package transformer. It prints loss and tokens a second as it goes, and draws the loss as SVG.
package main
