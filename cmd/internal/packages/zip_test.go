package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSameFilesGiveSameBytes(t *testing.T) {
	t.Parallel()
	var zips [2][]byte
	for i := range zips {
		base := t.TempDir()
		dir := filepath.Join(base, "tutti-1")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"b.exe", "a.txt"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(base, "out.zip")
		if err := zipFolder([]string{dir, out, "1700000000"}); err != nil {
			t.Fatal(err)
		}
		zips[i], _ = os.ReadFile(out)
	}
	if !bytes.Equal(zips[0], zips[1]) {
		t.Error("the same files gave other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(zips[0]), int64(len(zips[0])))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "tutti-1/a.txt" || z.File[0].Modified.Unix() != 1700000000 {
		t.Fatalf("%v: %v", z, err)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"a", "b", "x"},
		{filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "z"), "1"}} {
		if zipFolder(args) == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
