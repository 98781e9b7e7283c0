# long: the tests of .ci/long with TILESMITH_LONG=1, which try more: exhaustive shapes, storms of 30 s, and
# this turn's share of all mutants. Each test named there has to run.

# long_seconds is how long it runs at least. If this turn's tests take less, it begins with the next turn's.
long_seconds=360

stage_long() {
	local rounds=0
	while [ $rounds -eq 0 ] || [ $rounds -lt 10 ] && [ $((SECONDS - began)) -lt $long_seconds ]; do
		long_round $((turn + rounds)) $rounds
		rounds=$((rounds + 1))
	done
}

# long_round TURN ROUND runs the tests of a turn, two packages at a time. From the second round on it leaves
# out those that are the same each turn.
long_round() {
	local list=() line package tests running=0 n=0 failed=0
	echo "turn $1"
	rm -rf "$tmp/long"
	mkdir "$tmp/long"
	mapfile -t list < <(long_list "$1" "$2")
	for line in "${list[@]}"; do
		package=${line% *} tests=${line#* }
		n=$((n + 1))
		long_package "$1" "$package" "$tests" >"$tmp/long/$n.log" 2>&1 &
		running=$((running + 1))
		if [ $running -ge 2 ]; then
			wait -n || failed=1
			running=$((running - 1))
		fi
	done
	while [ $running -gt 0 ]; do
		wait -n || failed=1
		running=$((running - 1))
	done
	cat "$tmp/long"/*.log >>"$log"
	grep -hE '^(ok|FAIL)[ 	]' "$tmp/long"/*.log || true
	if [ $n -eq 0 ] && [ "$2" -eq 0 ]; then
		echo "no line of .ci/long is for turn $1" >&2
		return 1
	fi
	return $failed
}

# long_list TURN ROUND prints a package and its tests in each line. In .ci/long a line is for each turn
# ("every", or "share" where the test picks a share by the turn), for a turn of ten (3/10), or for no turn.
long_list() {
	awk -v turn="$1" -v round="$2" '
		/^#/ || NF == 0 { next }
		$1 == "elsewhere" || $1 == "hand" || $1 == "every" && round > 0 { next }
		split($1, of, "/") == 2 && turn % of[2] != of[1] { next }
		!($2 in tests) { order[++n] = $2 }
		{ tests[$2] = tests[$2] (tests[$2] == "" ? "" : "|") $3 }
		END { for (i = 1; i <= n; i++) print order[i], tests[order[i]] }' .ci/long
}

# long_package TURN PACKAGE TESTS runs tests of a package, and fails unless each of them passes.
long_package() {
	local out=$tmp/long/${2//\//_}.out status=0 test
	TILESMITH_LONG=1 TILESMITH_TURN=$1 TILESMITH_SEED=$seed go test -count=1 -timeout 30m -v -run "^($3)\$" "./$2" >"$out" 2>&1 || status=1
	cat "$out"
	for test in ${3//|/ }; do
		if ! grep -qE "^--- (PASS|FAIL): $test " "$out"; then
			echo "did not run: $test of $2; did its name change?"
			status=1
		fi
	done
	return $status
}
