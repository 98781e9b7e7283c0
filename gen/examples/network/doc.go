// Command network trains a network of three layers in float32 on a task that it generates.
// It then runs the network in bfloat16 and, quantised after training, in int8. It prints
// what each costs: accuracy, bytes of weights, and time.
//
//	go run ./gen/examples/network
//
// Every product in it is one of this module. Training uses [cpu.MatMul]. The three networks
// that are compared use package layers, with bias, activation and requantisation as
// epilogues. Start with main.go; README.md has the results.
package main
