#!/bin/sh
# Runs the GPU kit that lies beside this script; gpukit.sh -h says how.
home=$(cd "$(dirname "$0")" && pwd) || exit 2
exec "$home/bin/gpukit" -home "$home" "$@"
