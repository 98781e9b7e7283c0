# demo and test: the README's commands, as on a machine where nothing was set up before.

stage_demo() { fresh 'go run ./gen/tilesmith demo'; }

# fresh runs a command on such a machine, with variables: fresh COMMAND NAME=VALUE ...
# It has to be one that the README gives.
fresh() {
	if ! grep -qE -- "^$1( +#.*)?\$" README.md; then
		echo "the README has no line with the command: $1" >&2
		return 1
	fi
	machine
	(cd "$source" && "${bare[@]}" "${@:2}" bash -c "$1" </dev/null)
}

# machine sets up an empty home folder and empty caches. It leaves how to reach modules, which comes from
# the environment and `go env -w`. Later stages use what the README's commands leave in the caches.
source=
machine() {
	[ -z "$source" ] || return 0
	mkdir -p "$tmp/fresh/home"
	clone
	GOCACHE=$(empty "$(go env GOCACHE)" cache) GOMODCACHE=$(empty "$(go env GOMODCACHE)" modules)
	export GOCACHE GOMODCACHE
	mkdir -p "$GOCACHE"
	touch "$GOCACHE/$mark"
	bare=(env -u CGO_ENABLED -u GOPATH "HOME=$tmp/fresh/home" "NETRC=${NETRC:-${HOME:-}/.netrc}")
	[ "$caller_cgo" = unset ] || bare+=("CGO_ENABLED=$caller_cgo")
	local name
	for name in GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE GOINSECURE GOVCS GOFLAGS GOTOOLCHAIN GOAUTH; do
		bare+=("$name=$(go env "$name")")
	done
}

# empty prints a folder that is empty or not there: the one named, or a new one.
empty() {
	if [ -z "$(ls -A "$1" 2>/dev/null)" ]; then
		echo "$1"
	else
		mktemp -d "$tmp/fresh/$2.XXXX"
	fi
}

# clone sets source to a clone of this checkout with what is not committed: to the
# checkout itself if there is nothing else in it, as in one that was just cloned.
clone() {
	source=$PWD
	[ -n "$(git status --porcelain --ignored)" ] || return 0
	source=$tmp/fresh/tilesmith
	git clone -q . "$source"
	find "$source" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	existing | tar -c --null -T - -f - | tar -x -C "$source" -f -
	[ ! -e ../shared ] || ln -s "$(cd ../shared && pwd)" "$tmp/fresh/shared" # data that tests look for
}
