#!/bin/sh
# Generates the Go code of net.proto. Needs protoc (Debian: protobuf-compiler);
# the Go plugins are tools of go.mod, so their versions are pinned there.
set -eu
cd "$(dirname "$0")"
command -v protoc >/dev/null || {
	echo "protoc is missing: apt-get install protobuf-compiler" >&2
	exit 1
}
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/" google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
PATH="$bin:$PATH" protoc --proto_path=. \
	--go_out=. --go_opt=paths=source_relative \
	--go-grpc_out=. --go-grpc_opt=paths=source_relative \
	net.proto
