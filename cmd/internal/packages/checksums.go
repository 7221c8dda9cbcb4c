package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// checksums writes a file that sha256sum -c reads.
func checksums(path string, of []string) (string, error) {
	var b strings.Builder
	for _, name := range of {
		sum, err := sha256Of(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%x  %s\n", sum, filepath.Base(name))
	}
	return path, os.WriteFile(path, []byte(b.String()), 0o644)
}

func sha256Of(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
