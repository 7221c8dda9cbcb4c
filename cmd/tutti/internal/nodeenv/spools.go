package nodeenv

import (
	"crypto/rand"

	"github.com/tuttinode/tutti/core/privatefile"
)

// spoolBytes bounds the long values of all large requests of a role.
const spoolBytes = 8 << 30

// Spools are the files for large requests in the data directory.
func Spools(dataDir string) *privatefile.Spools {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return privatefile.NewSpools(dataDir, spoolBytes, secret)
}
