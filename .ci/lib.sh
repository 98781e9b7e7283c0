# What stages share. .ci/run reads this file, then those of the stages.

caller_cgo=${CGO_ENABLED-unset}
export CGO_ENABLED=0
limit=${TILESMITH_CI_SECONDS:-2400}
stage=start began=0 log=/dev/null

# setup makes the temporary folder, and says what this run depends on.
setup() {
	root=$PWD
	tmp=$(mktemp -d)
	mkdir "$tmp/log"
	turn=${TILESMITH_TURN:-$(cat .ci/turn)}
	if [[ ! $turn =~ ^[0-9]{1,9}$ ]]; then
		echo "the turn is '$turn', want a number in .ci/turn or TILESMITH_TURN" >&2
		exit 2
	fi
	turn=$((10#$turn))
	# Tests of stages long and fuzz draw other numbers for each commit.
	local commit
	commit=$(git rev-parse HEAD 2>/dev/null) || commit=0 # of an archive
	seed=${TILESMITH_SEED:-$((16#${commit:0:8}))}
	if [[ ! $seed =~ ^[0-9]{1,19}$ ]]; then
		echo "TILESMITH_SEED is '$seed', want a number such as 7" >&2
		exit 2
	fi
	if [[ ! $limit =~ ^[0-9]{1,9}$ ]]; then
		echo "TILESMITH_CI_SECONDS is '$limit', want a number such as 2400" >&2
		exit 2
	fi
	unset TILESMITH_SEED
	echo "turn $turn, seed $seed, $limit s"
	quick_compiler
	room
}

# quick_compiler turns off the garbage collector of Go's compiler, which takes up to a sixth
# of a stage and which programs that end within seconds can do without. The build cache is the same.
quick_compiler() {
	[[ " $(go env GOFLAGS)" != *" -toolexec="* ]] || return 0
	printf '#!/bin/sh\nGOGC=off GOMEMLIMIT=1200MiB exec "$@"\n' >"$tmp/tool"
	chmod +x "$tmp/tool"
	GOFLAGS="$(go env GOFLAGS) -toolexec=$tmp/tool"
	export GOFLAGS
}

# room empties the build cache that earlier runs of this script left, if the disk is nearly full.
# Builds for all platforms and their tests take some 15 GB. A cache that somebody else filled is theirs.
room() {
	local cache free
	cache=$(go env GOCACHE)
	[ "${CI:-}" = true ] && [ -e "$cache/$mark" ] || return 0
	free=$(df -Pk "$cache" | awk 'END { print int($4 / 1048576) }')
	if [ "$free" -lt 25 ]; then
		note "the disk has $free GB left: emptying the build cache"
		go clean -cache
	fi
}
mark=tilesmith-ci # a file in build caches that this script made

# run_stage NAME calls the stage's function, which fails by its first failing command.
run_stage() {
	stage=$1 began=$SECONDS log=$tmp/log/$1
	processor
	began_processor=$processor
	echo "== $stage"
	"stage_$stage"
	ended
	stage=end
}

# ended adds the stage to the table that finish prints.
ended() {
	processor
	local line
	line=$(printf '%-9s %6d s wall %6d s CPU' "$stage" $((SECONDS - began)) $((processor - began_processor)))
	echo "-- $line"
	echo "$line" >>"$tmp/table"
}

# finish runs at the end, whatever ends it.
finish() {
	local status=$?
	set +e
	[ -z "${root:-}" ] || cd "$root"
	if [ $status -ne 0 ] && [ -n "${tmp:-}" ] && [ "$stage" != start ]; then
		[ ! -s "$log" ] || awk -f .ci/failures.awk "$log"
		ended
	fi
	if [ -s "${tmp:-}/table" ]; then
		echo
		cat "$tmp/table"
		printf '%-9s %6d s wall, of %d\n' all "$SECONDS" "$limit"
	fi
	if [ -n "${tmp:-}" ]; then
		chmod -R u+w "$tmp/fresh" 2>/dev/null # a module cache is read-only
		rm -rf "$tmp"
	fi
	if [ $status -ne 0 ]; then
		echo "FAILED: stage $stage" >&2
	else
		[ -z "$named" ] && [ "$SECONDS" -gt "$limit" ] && note "that is more than $limit s"
		echo "passed: ${named:-all stages}"
	fi
	exit $status
}

# processor sets $processor to the CPU seconds that the commands run so far took.
processor() {
	times >"$tmp/times" # in this shell: a subshell has no commands behind it
	processor=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$tmp/times")
}

note() { echo "note: $*"; }

# its_turn N succeeds if the turn, modulo 4, is one of the numbers, or if stages were named.
its_turn() {
	[ -z "$named" ] || return 0
	local n
	for n in "$@"; do
		[ $((turn % 4)) -ne "$n" ] || return 0
	done
	note "stage $stage runs when the turn modulo 4 is ${*}; this is turn $turn"
	return 1
}

# gotest ARGUMENT ... is go test -v that shows only the line of each package. When a stage fails, finish
# shows the tests that did.
gotest() {
	go test -v "$@" | tee -a "$log" | awk '/^(ok|FAIL)[ \t]+[^ \t]/ && !/\[no test files\]/'
}

# ran NAME ... fails unless each of these tests passed in this stage; one that was skipped did not.
ran() {
	local name missing=
	for name in "$@"; do
		grep -qE -- "^ *--- PASS: $name " "$log" || missing+=" $name"
	done
	if [ -n "$missing" ]; then
		echo "did not run, or were skipped:$missing; did their names change?" >&2
		grep -A 1 -E -- '--- SKIP:' "$log" >&2 || true
		return 1
	fi
}

# home TEST prints the folder of the package that declares the test.
home() {
	local file
	file=$(existing '*_test.go' | xargs -0 grep -lE "^func $1\(" | grep -v /testdata/ | head -n 1)
	if [ -z "$file" ]; then
		echo "no package has $1; did its name change?" >&2
		return 1
	fi
	echo "./$(dirname "$file")"
}

# want COMMAND PACKAGE succeeds if the command is there or can be installed.
want() {
	! command -v "$1" >/dev/null || return 0
	apt_install "$2" && hash -r && command -v "$1" >/dev/null
}

# apt_install PACKAGE installs with apt where this is a machine for CI.
apt_install() {
	[ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
	note "installing $1" >&2
	{ apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$1"; } >"$tmp/apt" 2>&1 </dev/null && return 0
	tail -n 3 "$tmp/apt" >&2
	return 1
}

# pip_install FOLDER PACKAGE makes a Python environment with the package where this is a machine for CI.
pip_install() {
	[ "${CI:-}" = true ] && command -v pip >/dev/null || return 1
	python3 -m venv --without-pip "$1" >&2 &&
		pip --python "$1/bin/python" install --quiet --disable-pip-version-check --retries 1 --timeout 20 "$2" </dev/null >&2
}

# wheel PACKAGE FILE prints the path of a file of a package that pip fetches and nothing installs.
wheel() {
	if ! command -v pip >/dev/null || ! command -v python3 >/dev/null; then
		echo "there is no pip to fetch one with" >&2
		return 1
	fi
	pip download --quiet --disable-pip-version-check --retries 1 --timeout 20 --no-deps --only-binary :all: \
		--dest "$tmp/wheel/$1" "$1" </dev/null >&2 || return 1
	python3 -m zipfile -e "$tmp/wheel/$1"/*.whl "$tmp/wheel/$1" >&2 || return 1
	local found
	found=$(find "$tmp/wheel/$1" -name "$2" -type f | head -n 1)
	[ -n "$found" ] && chmod +x "$found" && echo "$found"
}

# existing lists the files that git has or would add, each ending in a NUL.
existing() {
	git ls-files -co --exclude-standard -z -- "$@" | while IFS= read -r -d '' f; do
		[ ! -e "$f" ] || printf '%s\0' "$f"
	done
}

# modules prints the folders of the modules beside the main one.
modules() {
	local m
	for m in gen/examples e2e; do
		[ ! -e "$m/go.mod" ] || echo "$m"
	done
}

# isas PATTERN ... prints the instruction sets of the kernels in assembly files: sGEMM_avx512_9x48 and
# rows_16_avx512 are for avx512. Functions count and not files, since one file may have several sets.
isas() {
	existing "$@" | xargs -0 -r grep -h '^TEXT ' | awk '{
		sub(/\(SB\).*/, ""); sub(/^TEXT [^A-Za-z0-9_]*/, ""); set = ""
		n = split($0, part, "_"); for (i = 1; i <= n; i++) if (part[i] ~ /^(avx|amx|neon|sve)[a-z0-9]*$/) set = part[i]
		if (set == "") { print "no instruction set in the name of kernel " $0 >"/dev/stderr"; exit 1 }
		print set }' | sort -u
}
