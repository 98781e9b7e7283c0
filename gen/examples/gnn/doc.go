// Command gnn trains networks on a graph of which some nodes' classes are known, and says what part of the
// others it gets right.
//
//	go run ./gen/examples/gnn -data ../shared/data -model gcn
//	go run ./gen/examples/gnn -model rgcn -planted
//	go run ./gen/examples/gnn -model mlp -patterns l1.mtx,l2.mtx
//
// The networks are chains of layers of package nn, which know no graph, and whose every product is one of this
// module. Start with model.go; docs/howto-gnn.md has the results.
package main
