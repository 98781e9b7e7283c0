// Package e2e tests what a user does with the go command: it generates, builds and runs programs.
//
// It is a module of its own, so that go test ./... of the main module starts no compiler of its own:
//
//	cd e2e && go test ./...
package e2e
