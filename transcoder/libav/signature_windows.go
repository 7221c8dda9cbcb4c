package libav

import (
	"os"
	"strings"
)

// signatureFile returns a file among the temporary ones.
func signatureFile() (*os.File, error) { return os.CreateTemp("", "tutti-signature-*") }

// signaturePath returns the file name for a filter's argument, in which a colon ends a value.
func signaturePath(f *os.File) string {
	return strings.ReplaceAll(strings.ReplaceAll(f.Name(), `\`, "/"), ":", `\\:`)
}

// dropSignature removes it: it has been read.
func dropSignature(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}
