# e2e: the module whose tests run the go command.

stage_e2e() {
	cd e2e
	gotest ./...
	cd ..
}
