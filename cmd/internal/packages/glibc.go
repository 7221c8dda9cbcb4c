package main

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// libraries are what a program may be linked with beyond itself; everything else is in
// it. One that is not in this list would be missing on an operator's machine.
func libraries() []string {
	return []string{"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
}

// leastGlibc returns the oldest C library that all programs run with.
func leastGlibc(dir string) (string, error) {
	least := []int{0}
	for _, name := range allPrograms() {
		f, err := elf.Open(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		defer f.Close()
		needed, err := f.ImportedLibraries()
		if err != nil {
			return "", err
		}
		for _, lib := range needed {
			if !slices.Contains(libraries(), lib) {
				return "", fmt.Errorf("%s is linked with %s, which operators' machines may not have", name, lib)
			}
		}
		symbols, err := f.ImportedSymbols()
		if err != nil {
			return "", err
		}
		for _, s := range symbols {
			if v := glibcVersion(s.Version); slices.Compare(v, least) > 0 {
				least = v
			}
		}
	}
	return dotted(least), nil
}

// glibcVersion reads GLIBC_2.35; anything else is nil, older than all.
func glibcVersion(s string) []int {
	text, ok := strings.CutPrefix(s, "GLIBC_")
	if !ok {
		return nil
	}
	var out []int
	for _, part := range strings.Split(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func dotted(v []int) string {
	var parts []string
	for _, n := range v {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ".")
}
