# types: all modules and their tests pass the type checker for every system that is supported.

stage_types() {
	go run .ci/typecheck.go linux/386 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 js/wasm
}
