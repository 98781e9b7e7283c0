# build: all modules build and pass vet, each by its own go.mod too, and gofmt changes nothing.

stage_build() {
	go version
	go mod verify
	local m all=(./...)
	for m in $(modules); do
		all+=("./$m/...")
	done
	go build "${all[@]}"
	go vet "${all[@]}"
	GOWORK=off go mod tidy -diff
	GOWORK=off go vet ./...
	for m in $(modules); do
		(cd "$m" && GOWORK=off go mod tidy -diff && GOWORK=off go vet ./...)
	done
	local unformatted
	unformatted=$(existing '*.go' | xargs -0 gofmt -l)
	if [ -n "$unformatted" ]; then
		echo "gofmt would change:" $unformatted >&2
		return 1
	fi
}
