# test: the README's other command. With LLVM's compiler the tests also compare what it
# makes of some of our kernels, and stage llvm of all.

stage_test() {
	want llc llvm || note "no llc, and it could not be installed: the kernels have no second opinion"
	want ld binutils || note "no ld, which links what llc makes"
	# Tests say their names, by which stage variants knows what ran.
	machine # here, since a pipeline's commands are subshells
	fresh 'go test ./...' "GOFLAGS=$GOFLAGS -test.v" | tee -a "$log" | awk '/^(ok|FAIL)[ \t]+[^ \t]/'
}
