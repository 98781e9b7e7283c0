# fuzz: new inputs for fuzz functions, for as long as the other stages left. It is the last. What was found
# before is a seed, which stage test runs.

fuzz_most=4     # seconds for each target, at most
fuzz_overhead=4 # seconds that a target takes besides

stage_fuzz() {
	local list=() left each n first picked=() i
	mapfile -t list < <(fuzz_targets)
	n=${#list[@]}
	if [ "$n" -eq 0 ]; then
		echo "no Fuzz functions found" >&2
		return 1
	fi
	left=$((limit - SECONDS))
	each=$((left / n - fuzz_overhead))
	[ $each -le $fuzz_most ] || each=$fuzz_most
	if [ $each -ge 1 ]; then
		picked=("${list[@]}")
	else # those of this turn; ten turns have all, however long the other stages take
		each=1
		i=$((left / (fuzz_overhead + 1)))
		[ $i -ge $(((n + 9) / 10)) ] || i=$(((n + 9) / 10))
		first=$((turn * ((n + 9) / 10) % n))
		while [ $i -gt 0 ]; do
			picked+=("${list[first]}")
			first=$(((first + 1) % n))
			i=$((i - 1))
		done
		note "the other stages took $SECONDS s: some of the targets wait for another turn"
	fi
	echo "${#picked[@]} of $n targets, $each s each"
	local built= target package name
	mkdir -p "$tmp/fuzzing"
	for target in "${picked[@]}"; do
		package=${target% *} name=${target#* }
		if [ "$built" != "$package" ]; then # once for all its targets; go test would link it for each
			built=$package
			go test -c -fuzz . -o "$tmp/fuzzing/test" "./$package"
		fi
		fuzz_one "$package" "$name" "$each"
	done
}

# fuzz_targets prints a package and a name in each line.
fuzz_targets() {
	local folder
	for folder in ./... $(modules | sed 's|.*|./&/...|'); do
		go list -f '{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}' "$folder"
	done | sort -u | sed "/^\$/d; s|^$PWD/||" | xargs awk '/^func Fuzz[A-Za-z0-9_]*\(/ {
		folder = FILENAME; sub(/\/?[^\/]*$/, "", folder); sub(/^func /, ""); sub(/\(.*/, ""); print (folder == "" ? "." : folder), $0 }'
}

# fuzz_one PACKAGE NAME SECONDS
fuzz_one() {
	local out=$tmp/fuzz
	if ! (cd "$1" && TILESMITH_SEED=$seed "$tmp/fuzzing/test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "${3}s" \
		-test.fuzzminimizetime 5x -test.fuzzcachedir "$tmp/fuzzing/corpus/$1") >"$out" 2>&1; then
		cat "$out"
		# A machine that stood still for seconds looks like an input that hangs, and golang/go#52569 like one that
		# ends the process: such an input, which now is a seed, counts if it fails again.
		grep -qE 'hung or terminated unexpectedly|context deadline exceeded' "$out" || return 1
		gotest -run "^$2\$" -timeout 60s "./$1"
	fi
	echo "$2: $(grep -oE 'execs: [0-9]+' "$out" | tail -n 1)"
}
