package main

import (
	"os"
	"path/filepath"
	"strings"
)

// folders are where a driver may be that the loader does not look for by itself.
var folders = []string{"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"}

// known is where the loader looks by itself on common systems.
var known = []string{"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib"}

// library is the LD_LIBRARY_PATH with which the driver is found, nothing where it is
// found without.
func library() []string {
	has := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "libcuda.so.1"))
		return err == nil
	}
	path := os.Getenv("LD_LIBRARY_PATH")
	for _, folder := range append(filepath.SplitList(path), known...) {
		if folder != "" && has(folder) {
			return nil
		}
	}
	for _, folder := range folders {
		if has(folder) {
			return []string{"LD_LIBRARY_PATH=" + strings.TrimPrefix(path+":"+folder, ":")}
		}
	}
	return nil
}
