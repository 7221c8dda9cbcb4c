package layout

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxBytes is the most that a tracked file may have: every clone carries it forever.
const maxBytes = 2 << 20

// largeFiles may be programs, or larger, each for a reason.
var largeFiles = map[string]string{}

// programMagics begin files that a linker wrote: ELF, Windows, macOS in its four forms,
// libraries and WebAssembly.
var programMagics = []string{
	"\x7fELF", "MZ\x90\x00", "MZ\x78\x00", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe",
	"\xca\xfe\xba\xbe", "!<arch>\n", "\x00asm",
}

func isProgram(head string) bool {
	for _, magic := range programMagics {
		if strings.HasPrefix(head, magic) {
			return true
		}
	}
	return false
}

// A build that ends at the top of the tree is easily added by mistake.
func TestNoProgramsAreTracked(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this tree is no git checkout: %v", err)
	}
	for _, rel := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, excused := largeFiles[rel]; excused {
			continue
		}
		size, head, err := sizeAndHead(filepath.Join(root, rel))
		switch {
		case os.IsNotExist(err):
		case err != nil:
			t.Error(err)
		case size > maxBytes:
			t.Errorf("%s has %d bytes, over %d: keep it out of the tree, or give its reason in largeFiles", rel, size, maxBytes)
		case isProgram(head):
			t.Errorf("%s is a program: build it, do not track it", rel)
		}
	}
}

func sizeAndHead(path string) (size int64, head string, err error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	b := make([]byte, 8)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return info.Size(), string(b[:n]), err
}

func TestIsProgram(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]bool{
		"\x7fELF\x02\x01": true, "MZ\x90\x00\x03": true, "\x00asm\x01": true, "!<arch>\n": true,
		"": false, "package": false, "MZ and so": false, "#!/bin/b": false,
	} {
		if got := isProgram(head); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}
